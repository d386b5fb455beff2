/** Defines the parts of the interface, in display order. */
import type { Operation } from './operation.ts'

/** The topic of each part, in one sentence or two. */
export const tags: Record<Operation['tag'], string> = {
  Workspace: 'The key, its permissions, and the rest of the plan.',
  'E-mails':
    'Single messages: one call, one message to one or several recipients. They are kept apart from campaigns; ' +
    'the monthly quota, the suppression list and the watch over bounces are shared.',
  Subscribers:
    'The contacts whom campaigns reach. A contact who is added by this interface is asked to confirm by mail, unless ' +
    'the caller answers for their consent. A contact who left returns only by themselves, through a form.',
  Suppression:
    'Addresses that receive nothing further, whatever sends. Bounces and complaints enter by themselves; ' +
    'only a person takes an address off the list, in the workspace pages.',
  Campaigns:
    'One mail to everybody who is subscribed: written as a draft, sent once. The list is frozen at the send; addresses that are ' +
    'suppressed since receive nothing.',
  Webhooks:
    'Events that are posted to the URLs of the workspace, signed, each at least once: after a failure again after 30 s, 2 min, ' +
    '10 min and 1 h. The journal lists every attempt; replay missed events, or read them by polling.',
}
