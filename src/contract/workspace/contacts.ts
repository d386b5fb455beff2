/**
 * Defines the page of one contact: data, mails, and whether and why they can be mailed.
 */
import { LastEngagement } from '../contact-export.ts'
import { limits } from '../limits.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, PageQuery, Text, Type, listOf, nullable, oneOf, type Static } from '../schema.ts'
import { SubscriberDetail } from '../subscribers.ts'
import { SuppressionEntry } from '../suppression.ts'

/** The questions and answers of a contact, and what they chose and asked on their page or in a form. */
export const consentActs = [
  ...['asked', 'confirmed', 'registered', 'unsubscribed'],
  ...['topic_joined', 'topic_left', 'language_chosen'],
  ...['data_requested', 'data_opened', 'data_downloaded', 'erasure_requested'],
] as const

const Consent = Type.Object({
  act: oneOf(consentActs),
  topic: Text.orNull({ description: 'The topic that was joined or left, as it was called then.' }),
  source: Type.String({
    description: 'How the contact came, or how they left.',
    examples: ['form'],
  }),
  at: DateTime,
  shown: Text.orNull({
    description: 'The words that the person was shown, or that were said for them.',
  }),
  ip: Text.orNull(),
  user_agent: Text.orNull(),
  person: Text.orNull({ description: 'The member of the workspace who wrote it.' }),
  email_id: Text.orNull(),
  campaign: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
})

/** The rules for mail to this contact, in the order of their checks. */
export const mailRules = [
  'status',
  'list',
  'platform',
  'bounces',
  'sending',
  'sender',
  'quota',
] as const

const MailRule = Type.Object({
  rule: oneOf(mailRules),
  /** The mail that the rule blocks. */
  blocks: oneOf(['nothing', 'campaigns', 'everything']),
  /** The case of the rule as a code; the pages have texts for each. */
  finding: Type.String({ examples: ['subscribed'] }),
  since: nullable(DateTime),
  /** A value for the text: a count, a domain. */
  detail: Text.orNull(),
})
export type MailRule = Static<typeof MailRule>

const ContactDetail = Type.Object({
  object: Type.Literal('contact'),
  email: Type.String(),
  subscriber: nullable(SubscriberDetail),
  last_engagement: LastEngagement,
  suppression: Type.Array(SuppressionEntry),
  consents: Type.Array(Consent),
  sign_ups: Type.Integer({
    description: 'Forms that were filled in and wait for the button of the mail.',
  }),
  import_refusals: Type.Array(
    Type.Object({
      file: Type.String(),
      line: Type.Integer(),
      reason: Type.String(),
      at: Type.String(),
    }),
  ),
  mailable: Type.Object({
    single: Type.Boolean(),
    campaigns: Type.Boolean(),
    rules: Type.Array(MailRule),
  }),
})

const ContactMail = Type.Object({
  object: Type.Literal('contact_mail'),
  kind: oneOf(['single', 'campaign', 'notice']),
  id: Type.String({ description: 'Of the message, or of the campaign.' }),
  name: Text.orNull({ description: 'Of the campaign.' }),
  subject: Type.String(),
  status: Type.String(),
  error: Text.orNull(),
  response: Text.orNull(),
  at: DateTime,
  sent_at: nullable(DateTime),
  delivered_at: nullable(DateTime),
  opened_at: nullable(DateTime),
  clicked_at: nullable(DateTime),
  unsubscribed_at: nullable(DateTime),
})
export type ContactMail = Static<typeof ContactMail>

const ContactEngagement = Type.Object({
  object: Type.Literal('contact_engagement'),
  id: Type.String(),
  kind: oneOf(['open', 'click']),
  visitor: oneOf(['person', 'relay', 'scanner']),
  at: DateTime,
  url: Text.orNull(),
  user_agent: Type.String(),
  subject: Type.String(),
  email_id: Text.orNull(),
  campaign_id: Text.orNull(),
})
export type ContactEngagement = Static<typeof ContactEngagement>

const timelineKinds = [
  ...['added', 'consent', 'suppressed', 'edited', 'mail', 'engagement'],
] as const

const ContactTimelineEntry = Type.Object({
  object: Type.Literal('contact_timeline_entry'),
  kind: oneOf(timelineKinds, {
    description: 'One of `consent`, `mail` and `engagement` is filled accordingly.',
  }),
  id: Type.String(),
  at: DateTime,
  consent: nullable(Consent),
  mail: nullable(ContactMail),
  engagement: nullable(ContactEngagement),
  source: Text.orNull({ description: 'How the contact was added.' }),
  reason: Text.orNull({ description: 'Why the address was suppressed.' }),
  parts: Text.orNull({ description: 'Names of what a member edited, without the values.' }),
  person: Text.orNull({ description: 'The member who edited it.' }),
})
export type ContactTimelineEntry = Static<typeof ContactTimelineEntry>

const byWho = Type.Object({
  who: Type.String({
    maxLength: limits.addressMax,
    description: 'The identifier of a subscriber, or an address.',
  }),
})
const contacts = operationsOf({ ...ofMembers, tag: 'Subscribers', params: byWho })

export const contactOperations = {
  getContact: contacts.get('/api/v1/contacts/{who}', ContactDetail, {
    summary: 'Read a contact',
    description:
      'Record, evidence of consent, and why they can or cannot be mailed; 404 when nothing is known.',
  }),
  listContactMails: contacts.get('/api/v1/contacts/{who}/mails', listOf(ContactMail), {
    summary: 'List the mails to a contact',
    description:
      'Single messages, mails of campaigns and our own notices, newest first; no mail that lets a user in.',
    query: PageQuery,
  }),
  listContactEngagement: contacts.get(
    '/api/v1/contacts/{who}/engagement',
    listOf(ContactEngagement),
    {
      summary: 'List the opens and clicks of a contact',
      description: 'Newest first, those of relays and scanners too.',
      query: PageQuery,
    },
  ),
  listContactTimeline: contacts.get(
    '/api/v1/contacts/{who}/timeline',
    listOf(ContactTimelineEntry),
    {
      summary: 'List what happened to a contact',
      description:
        'Consent and choices, suppression, edits by members, mails, opens and clicks, newest first, as far as they are stored.',
      query: PageQuery,
    },
  ),
}
