/** Defines the export and the erasure of one contact by a key. */
import { limits } from './limits.ts'
import { DateTime, Text, Type, named, nullable, oneOf, textMap } from './schema.ts'
import { SubscriberDetail } from './subscribers.ts'
import { SuppressionEntry, suppressionReasons } from './suppression.ts'

/** The outcome of a mail. */
const outcome = {
  subject: Type.String(),
  status: Type.String({ examples: ['delivered'] }),
  error: Text.orNull(),
  response: Text.orNull(),
  sent_at: nullable(DateTime),
  delivered_at: nullable(DateTime),
  opened_at: nullable(DateTime),
  clicked_at: nullable(DateTime),
}
const origin = { ip: Text.orNull(), user_agent: Text.orNull() }
const ofMail = { email_id: Text.orNull(), campaign_id: Text.orNull() }

/**
 * When a contact last received a campaign's mail, opened one (also through a privacy relay, and
 * without) and clicked in one. It outlives the lists below. Null within it means never.
 */
export const LastEngagement = nullable(
  Type.Object({
    received_at: nullable(DateTime),
    opened_at: nullable(DateTime),
    opened_directly_at: nullable(DateTime),
    clicked_at: nullable(DateTime),
  }),
)

export const ContactExport = named('ContactExport', {
  object: Type.Literal('contact'),
  email: Type.String({ examples: ['camille@example.com'] }),
  subscriber: nullable(SubscriberDetail),
  last_engagement: LastEngagement,
  suppression: Type.Array(SuppressionEntry),
  consents: Type.Array(
    Type.Object({
      act: Type.String({ examples: ['registered'] }),
      topic: Text.orNull({ description: 'The topic that was joined or left.' }),
      source: Type.String({ examples: ['api'] }),
      at: DateTime,
      shown: Text.orNull({ description: 'The words that the contact was shown.' }),
      ...origin,
      person: Text.orNull({ description: 'The member of the workspace who wrote it.' }),
      ...ofMail,
    }),
  ),
  sign_ups: Type.Array(
    Type.Object({
      form_id: Type.String(),
      created_at: DateTime,
      first_name: Text.orNull(),
      last_name: Text.orNull(),
      fields: textMap(),
      topics: nullable(Type.Array(Type.Object({ id: Type.String(), subscribed: Type.Boolean() }))),
      ...origin,
    }),
    { description: 'Forms that were filled in and wait for the button of the mail.' },
  ),
  import_refusals: Type.Array(
    Type.Object({
      file: Type.String(),
      line: Type.Integer(),
      reason: Type.String(),
      at: DateTime,
    }),
  ),
  emails: Type.Array(
    Type.Object({
      email_id: Type.String(),
      kind: oneOf(['to', 'cc', 'bcc']),
      created_at: DateTime,
      ...outcome,
    }),
    { description: 'Single messages, newest first.' },
  ),
  campaigns: Type.Array(
    Type.Object({
      campaign_id: Type.String(),
      name: Type.String(),
      ...outcome,
      unsubscribed_at: nullable(DateTime),
    }),
    { description: 'Mails of campaigns, newest first.' },
  ),
  engagement: Type.Array(
    Type.Object({
      kind: oneOf(['open', 'click']),
      visitor: Type.String({ description: '`person`, `relay` or `scanner`.' }),
      at: DateTime,
      url: Text.orNull(),
      user_agent: Type.String(),
      ip: Text.orNull(),
      ...ofMail,
    }),
    { description: 'Opens and clicks, oldest first.' },
  ),
  complete: Type.Boolean({
    description: `False: of a list that has more than ${limits.contactExportMax} entries, the others are left out; \`facteur contact show --json\` has all.`,
    examples: [true],
  }),
})

export const ContactErased = named('ContactErased', {
  object: Type.Literal('contact'),
  erased: Type.Literal(true),
  kept: nullable(
    oneOf(suppressionReasons, {
      description: 'Why the address stays suppressed; null: it was not suppressed.',
    }),
  ),
})
