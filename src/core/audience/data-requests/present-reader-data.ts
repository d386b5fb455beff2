/**
 * Presents to a contact what is stored about them. Each value is named here, so that nothing which
 * members write for themselves is in it because their export has it.
 */
import { fillTags } from '../../../mail/merge/merge-tags.ts'
import type { ExportedContact } from '../contacts/read-contact-export.ts'

export type ReaderData = ReturnType<typeof presentReaderData>

type Consent = ExportedContact['consents'][number]

const origin = ['ip', 'user_agent'] as const
const outcome = ['status', 'sent_at', 'delivered_at', 'opened_at', 'clicked_at'] as const

/** The lists are those of the workspace's export, in its order. */
export const presentReaderData = ({ subscriber, ...contact }: ExportedContact) => ({
  ...pick(contact, ['object', 'email']),
  subscriber: subscriber && {
    ...pick(subscriber, [
      'status',
      'firstName',
      'lastName',
      'tags',
      'fields',
      'source',
      'language',
    ]),
    ...pick(subscriber, ['created_at', 'updated_at', 'confirmed_at', 'unsubscribed_at']),
    topics: subscriber.topics.map((topic) => pick(topic, ['name', 'subscribed'])),
  },
  last_engagement: contact.last_engagement,
  suppression: contact.suppression.map((entry) => pick(entry, ['reason', 'created_at'])),
  consents: contact.consents.map((consent) => ({
    ...pick(consent, ['act', 'topic', 'source', 'at', ...origin]),
    shown: isByMember(consent) ? null : consent.shown,
  })),
  sign_ups: contact.sign_ups.map((signUp) =>
    pick(signUp, ['created_at', 'first_name', 'last_name', 'fields', 'topics', ...origin]),
  ),
  import_refusals: contact.import_refusals.map((refusal) => pick(refusal, ['at', 'reason'])),
  emails: contact.emails.map((mail) => pick(mail, ['subject', 'kind', 'created_at', ...outcome])),
  campaigns: contact.campaigns.map((mail) => ({
    // As it stood in the mail.
    subject: fillTags(mail.subject, subscriber),
    ...pick(mail, [...outcome, 'unsubscribed_at']),
  })),
  engagement: contact.engagement.map((engagement) =>
    pick(engagement, ['kind', 'visitor', 'at', 'url', ...origin]),
  ),
  complete: contact.complete,
})

/** Then its words are theirs: the contact was shown none. */
const isByMember = ({ act, ...consent }: Consent): boolean =>
  consent.person !== null && (act === 'registered' || act === 'unsubscribed')

/** The named properties alone. */
function pick<T extends object, Name extends keyof T>(
  row: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, Name>
}
