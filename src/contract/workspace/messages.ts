/**
 * Defines the log of messages: single e-mails and campaigns' mails in one list, and the page of
 * each.
 */
import { InDoubt, bounceClasses, emailStatuses } from '../emails.ts'
import { limits } from '../limits.ts'
import { accepted, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  count,
  instantOrNull,
  listOf,
  nullable,
  oneOf,
  textMap,
  type Static,
} from '../schema.ts'
import { HeaderLine, MailLink } from '../captured.ts'
import { BoundedCount, countedEntriesMax, countsByStatus } from '../counted.ts'
import { audienceLimits } from './audience-limits.ts'
import { RefusalExplained } from './refusals.ts'

/** A campaign's mail may also be `suppressed`: its address was suppressed after the freeze. */
export const messageStatuses = [...emailStatuses, 'suppressed'] as const
export type RecipientStatus = (typeof messageStatuses)[number]

const lineFields = {
  object: Type.Literal('message'),
  id: Type.String({
    description: "A single message's identifier, or `campaign.subscriber` of a campaign's mail.",
    examples: ['019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b70'],
  }),
  kind: oneOf(['single', 'campaign']),
  from: Type.String({ examples: ['Boutique <hello@demo.test>'] }),
  to: Type.Array(Type.String(), { description: 'All recipients, hidden copies included.' }),
  subject: Type.String(),
  status: oneOf(messageStatuses),
  last_event: oneOf([...messageStatuses, 'scheduled', 'canceled', 'in_doubt']),
  error: Text.orNull(),
  in_doubt: nullable(InDoubt, { examples: [null] }),
  tags: nullable(textMap()),
  campaign: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  created_at: DateTime,
  scheduled_at: nullable(DateTime),
  opened: Type.Boolean(),
  clicked: Type.Boolean(),
}

export const MessageLine = Type.Object(lineFields)
export type MessageLine = Static<typeof MessageLine>

/** The kinds of mail servers' replies that users understand; the pages have texts for each. */
export const answerMeanings = [
  'accepted',
  'unknown_address',
  'unknown_domain',
  'mailbox_full',
  'mailbox_closed',
  'message_too_large',
  'greylisted',
  'too_fast',
  'spam',
  'blocked',
  'authentication',
  'refused_by_policy',
  'not_reachable',
  'busy',
  'refused_for_now',
  'refused',
] as const
export type AnswerMeaning = (typeof answerMeanings)[number]

const ServerAnswer = Type.Object({
  text: Type.String({ description: 'As it came.' }),
  code: nullable(Type.Integer({ description: 'Reply code (RFC 5321).' })),
  enhanced: Text.orNull({ description: 'Enhanced status code (RFC 3463).' }),
  meaning: nullable(oneOf(answerMeanings)),
})
export type ServerAnswer = Static<typeof ServerAnswer>

/** In their order within the same second. */
export const happenings = [
  'accepted',
  'scheduled',
  'deferred',
  'in_doubt',
  'sent',
  'delivered',
  'unread',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'failed',
  'suppressed',
  'unsubscribed',
  'canceled',
  'next_attempt',
] as const

/** Why a recipient failed: words of a server or a report, or a reason of ours. */
export const failureCauses = [
  'refused',
  'spent',
  'parked',
  'doubt_ended',
  'suppressed',
  'cancelled',
  'discarded',
  'erased',
] as const

const Happening = Type.Object({
  what: oneOf(happenings, {
    description: '`unread`: a mail system sent a notice that is not understood.',
  }),
  at: DateTime,
  answer: nullable(ServerAnswer),
  cause: nullable(
    oneOf(failureCauses, { description: 'Why it failed, where `answer` is its text.' }),
  ),
  suppressed_for: Text.orNull({ description: 'The reason, where `cause` is `suppressed`.' }),
  by: nullable(
    oneOf(['feedback', 'open', 'click', 'silence'], { description: 'The source of a delivery.' }),
  ),
  visitor: nullable(
    oneOf(['person', 'relay', 'scanner'], { description: 'Who opened or clicked.' }),
  ),
  link: Text.orNull(),
  user_agent: Text.orNull(),
  attempt: nullable(Type.Integer()),
})
export type Happening = Static<typeof Happening>

const MessageRecipient = Type.Object({
  position: Type.Integer(),
  email: Type.String(),
  kind: oneOf(['to', 'cc', 'bcc']),
  status: oneOf(messageStatuses),
  in_doubt: Type.Boolean(),
  bounce: nullable(oneOf(bounceClasses)),
  attempts: Type.Integer(),
  reason: nullable(ServerAnswer, { examples: [null] }),
  refusal: nullable(RefusalExplained, { examples: [null] }),
  timeline: Type.Array(Happening),
  captured: Text.orNull({ description: 'Its captured mail, where it was captured and is there.' }),
})
export type MessageRecipient = Static<typeof MessageRecipient>

const MessageDetail = Type.Object({
  ...lineFields,
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String()),
  reply_to: Type.Array(Type.String()),
  message_id: Type.String(),
  subscriber_id: Text.orNull(),
  has_html: Type.Boolean(),
  links: Type.Array(MailLink),
  text: Text.orNull(),
  headers: Type.Array(HeaderLine),
  dropped_headers: Type.Array(Type.String(), {
    description: 'The names of headers of a mail that came by SMTP which did not leave with it.',
  }),
  files: Type.Array(
    Type.Object({
      position: Type.Integer(),
      name: Text.orNull(),
      type: Text.orNull(),
      size: Type.Integer(),
    }),
  ),
  recipients: Type.Array(MessageRecipient),
  can_send_again: Type.Boolean(),
  content_expired_at: instantOrNull(
    'When its texts, custom headers and files expired. Null: they are stored.',
  ),
  details_expired_at: instantOrNull(
    'When its temporary refusals, reports, opens and clicks expired, which the timelines lack then. Null: they are stored.',
  ),
})
export type MessageDetail = Static<typeof MessageDetail>

const filter = {
  kind: Type.Optional(oneOf(['single', 'campaign'])),
  q: Text.optional({
    maxLength: limits.searchMax,
    description:
      'A part of an address, words of the subject or their beginnings, or an identifier, which finds its message whatever the other filters are. Beside it, `recipient` and `subject` are not read.',
  }),
  recipient: Text.optional({ maxLength: limits.searchMax, description: 'A part of an address.' }),
  subject: Text.optional({
    maxLength: limits.searchMax,
    description: 'Words, or their beginnings.',
  }),
  tag: Text.optional({ maxLength: 600, description: '`name` or `name:value`.' }),
  since: Text.optional({ maxLength: 40, description: 'Accepted at or after: RFC 3339.' }),
  until: Text.optional({ maxLength: 40, description: 'Accepted before: RFC 3339.' }),
}

const MessageQuery = Type.Object({
  ...PageQuery.properties,
  ...filter,
  status: Type.Optional(oneOf(messageStatuses)),
})
export type MessageQuery = Static<typeof MessageQuery>

const MessageTotals = Type.Object({
  object: Type.Literal('message_totals'),
  all: BoundedCount,
  statuses: countsByStatus(messageStatuses),
})

const MessageParams = Type.Object({ id: Type.String() })

const CausedDelivery = Type.Object({
  object: Type.Literal('webhook_delivery'),
  id: Type.String(),
  webhook_id: Type.String(),
  webhook_name: Type.String(),
  url: Type.String(),
  event_id: Type.String(),
  type: Type.String(),
  status: oneOf(['pending', 'delivered', 'failed']),
  attempts: Type.Integer(),
  response_status: nullable(Type.Integer()),
  error: Text.orNull(),
  created_at: DateTime,
})

const SentAgain = Type.Object({ object: Type.Literal('message'), id: Type.String() })

const SendAgainRequest = Type.Object({
  to: Type.Array(Type.String({ minLength: limits.addressMin, maxLength: limits.addressMax }), {
    minItems: 1,
    maxItems: limits.recipientsPerMessage,
    description: 'The recipients of the new message; the other previous ones get nothing.',
  }),
  idempotency_key: Type.String({
    minLength: 1,
    maxLength: limits.idempotencyKeyMax,
    description: 'The same again sends once.',
  }),
})

/** A mail's own HTML in a frame: `images` allows external images. */
const HtmlQuery = Type.Object({ images: Type.Optional(oneOf(['1'])) })

const messages = operationsOf({ ...ofMembers, tag: 'E-mails', params: MessageParams })

const CanceledEmails = Type.Object({
  object: Type.Literal('canceled_emails'),
  canceled: count('Messages that are not sent.'),
  unchanged: count('Messages that had begun to leave, or were not scheduled any more.'),
})

export const messageOperations = {
  listMessages: messages.get('/api/v1/messages', listOf(MessageLine), {
    summary: 'List messages',
    description:
      "Every message that left or is to leave, newest first: single ones by when they were accepted, campaigns' by when their list was frozen. A page may hold fewer than were asked for, and more follow.",
    query: MessageQuery,
  }),
  countMessages: messages.get('/api/v1/message-totals', MessageTotals, {
    summary: 'Count messages by status',
    description: `Those that the filter finds, at one moment; of more than ${countedEntriesMax.toLocaleString('en-US')} the newest.`,
    query: Type.Object(filter),
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
  getMessage: messages.get('/api/v1/messages/{id}', MessageDetail, {
    summary: 'Read a message and its outcomes',
    description: 'With the timeline of each recipient and the answers of the mail servers.',
  }),
  getMessageHtml: messages.get('/api/v1/messages/{id}/html', fileAnswer, {
    summary: "Show a message's html",
    description:
      "For a frame without scripts. In a campaign's mail, personal links are placeholders.",
    query: HtmlQuery,
  }),
  getMessageRaw: messages.get('/api/v1/messages/{id}/raw', fileAnswer, {
    summary: 'Download a message',
    description:
      "The mail as it is composed, before it is signed. A campaign's mail is without its reader's own links.",
  }),
  getMessageFile: messages.get('/api/v1/messages/{id}/files/{position}', fileAnswer, {
    summary: 'Download an attachment',
    description: 'As it was given.',
    params: Type.Object({ id: Type.String(), position: Type.String() }),
  }),
  listMessageDeliveries: messages.get('/api/v1/messages/{id}/deliveries', listOf(CausedDelivery), {
    summary: 'List the webhook deliveries that a message caused',
    description: 'Newest first, at most a hundred, until they expire.',
  }),
  cancelSelectedEmails: messages.post('/api/v1/messages/cancel-selected', CanceledEmails, {
    summary: 'Cancel selected scheduled messages',
    description: 'Each that has not begun to leave; its quota is given back.',
    body: Type.Object({
      ids: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: audienceLimits.selectedTogetherMax,
        description: 'Identifiers of single messages.',
      }),
    }),
  }),
  sendMessageAgain: messages.post('/api/v1/messages/{id}/send-again', accepted(SentAgain), {
    summary: 'Send a single message again',
    description:
      'A new message with the same content and files to the given recipients; the checks of any send apply.',
    body: SendAgainRequest,
    errors: [
      'unverified_from_domain',
      'reputation_blocked',
      'suppressed_recipient',
      'quota_exceeded',
      'send_failed',
      'idempotency_key_reused',
    ],
  }),
}
