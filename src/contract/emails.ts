/**
 * Defines the requests and answers of single messages (spec: Email, EmailDetail, EmailRequest;
 * semantics 4: extensions).
 */
import { limits } from './limits.ts'
import {
  base64,
  contentId,
  headerNames,
  httpsUrl,
  knownId,
  mailbox,
  oneLine,
  straightLine,
  scheduleText,
  timeText,
} from './text-rules.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  instant,
  listOf,
  named,
  nullable,
  oneOf,
  optionalOrNull,
  textMap,
  type Static,
} from './schema.ts'
import { without } from './without.ts'
import { RefusalName } from './workspace/refusals.ts'

/**
 * From least to most advanced; `complained`, `bounced` and `failed` outrank all others on a message
 * (semantics 1).
 */
export const emailStatuses = [
  'queued',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
] as const
export type EmailStatus = (typeof emailStatuses)[number]

/**
 * The classes of a bounce:
 * - `hard`: the address does not exist
 * - `soft`: its mailbox or its system cannot take mail now
 * - `policy`: the sender, the content or the reputation is refused
 * - `other`: none of these, such as a size limit or a fault
 */
export const bounceClasses = ['hard', 'soft', 'policy', 'other'] as const
export type BounceClass = (typeof bounceClasses)[number]

const Address = (description: string) =>
  Type.String({
    minLength: limits.addressMin,
    maxLength: limits.addressMax,
    ...mailbox,
    description: `${description} An address alone, or \`Name <address>\`.`,
    examples: ['Camille <camille@example.com>'],
  })

/** One address or several, as a header for replies has them. */
export const addressesForReplies = (description: string) =>
  addresses(description, limits.replyToMax)

const addresses = (description: string, max: number) =>
  Type.Union([
    Address(description),
    Type.Array(Address(description), { minItems: 1, maxItems: max }),
  ])

// The `resend` SDK writes an absent list as an empty one.
const hiddenAddresses = (description: string) =>
  Type.Union([
    Address(description),
    Type.Array(Address(description), { maxItems: limits.recipientsPerMessage }),
  ])

const Bytes = (description: string) =>
  Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { description })

/**
 * Fields of Resend without an equivalent here are refused: ignoring any of them would send a
 * different mail (decision 0030).
 */
export const foreignEmailKeys = {
  '': { template: 'template', topic_id: 'topic_id', react: 'react' },
  attachments: { inline_content_id: 'inline_content_id' },
} as const

/** SDKs of typed languages write an unset field as null or as an empty text. */
const unset = { enum: [null, ''] }
const fetchable = { type: 'string', minLength: 1 }
const holding = (name: string, value: object) => ({
  type: 'object',
  required: [name],
  properties: { [name]: value },
})

const Attachment = Type.Object(
  {
    filename: Text.optionalOrNull({ minLength: 1, maxLength: 255, ...straightLine }),
    content: Type.Optional(
      Type.Union([
        Type.String({ ...base64, description: 'The file in base64.' }),
        Bytes('The file as a list of its bytes.'),
        Type.Object({
          type: Type.Literal('Buffer'),
          data: Bytes('The file as Node.js writes a Buffer in JSON.'),
        }),
      ]),
    ),
    path: Text.optionalOrNull({
      maxLength: limits.attachmentPathMax,
      ...httpsUrl,
      description:
        'In place of `content`: a public https address that answers 200 with the file, without a redirect. It is fetched before the message is ' +
        'accepted, and a file that does not come whole in time refuses the call. A repeated call with the same Idempotency-Key fetches nothing. Not in a batch.',
      examples: ['https://files.example.com/invoice.pdf'],
    }),
    content_type: Text.optionalOrNull({
      maxLength: 255,
      ...oneLine,
      description: 'Guessed from the file name when absent, which may be the last part of `path`.',
    }),
    content_id: Text.optionalOrNull({
      minLength: 1,
      maxLength: 128,
      ...contentId,
      description:
        'For `cid:` references from the html: printable ASCII without spaces, quotes and brackets. `<` and `>` around it are taken off.',
    }),
  },
  {
    'x-rules': {
      allOf: [without(foreignEmailKeys.attachments)],
      anyOf: [
        {
          required: ['content'],
          properties: { content: { type: ['string', 'array', 'object'] }, path: unset },
        },
        {
          required: ['path'],
          properties: { path: fetchable, content: unset },
        },
      ],
    },
  },
)

const Tag = Type.Object({
  name: Type.String({ maxLength: limits.tagNameMax }),
  value: Type.String(),
})

const tagsDescription =
  'Come back on the read and in notifications. Each character outside `A-Z a-z 0-9 _ -` becomes `_`; a value is cut at 256, and a longer name is refused.'

export const EmailRequest = Type.Object(
  {
    from: Address('The sender, on a verified domain of the workspace.'),
    to: addresses('Recipients; they see each other.', limits.recipientsPerMessage),
    cc: optionalOrNull(hiddenAddresses('Copies; all see them.')),
    bcc: optionalOrNull(hiddenAddresses('Hidden copies.')),
    subject: Type.String({
      minLength: 1,
      maxLength: limits.subjectMax,
      ...oneLine,
      examples: ['Bonjour'],
    }),
    html: Text.optionalOrNull({ maxLength: limits.bodyMax, examples: ['<p>Bonjour</p>'] }),
    text: Text.optionalOrNull({
      maxLength: limits.bodyMax,
      description:
        'Plain text: Markdown in it is sent as it is typed. Absent beside `html`: a text part is made from it. An empty text leaves that part off.',
    }),
    replyTo: optionalOrNull(addressesForReplies('Where answers go.')),
    reply_to: optionalOrNull(
      addressesForReplies('Alias of `replyTo`; supply only one of the two.'),
    ),
    headers: optionalOrNull(
      textMap({
        ...headerNames,
        description: 'Free headers. Those that carry identity are ignored.',
      }),
    ),
    tags: optionalOrNull(
      Type.Union(
        [
          Type.Array(Tag, { maxItems: limits.tagsMax }),
          textMap({ maxProperties: limits.tagsObjectMax }),
        ],
        {
          description: tagsDescription,
        },
      ),
    ),
    attachments: optionalOrNull(
      Type.Array(Attachment, {
        maxItems: limits.attachmentsMax,
        description:
          'Up to 20 MB in all, decoded; 25 MB with those that are fetched by `path`, of which there are 10 at most.',
      }),
    ),
    track_opens: optionalOrNull(
      Type.Boolean({
        description: 'Whether opens are tracked, by a pixel in the html. Not unless asked.',
      }),
    ),
    track_clicks: optionalOrNull(
      Type.Boolean({
        description:
          'Whether clicks are tracked: links of the html then lead by us. Not unless asked.',
      }),
    ),
    scheduled_at: Text.optionalOrNull({
      maxLength: 100,
      ...scheduleText,
      description:
        'When to send, at most a year ahead: RFC 3339, or words such as `in 1 hour`, `tomorrow at 9am` and `Friday at 3pm ET`, in UTC unless they name a zone.',
      examples: ['2026-12-24T08:00:00Z'],
    }),
  },
  {
    $id: 'EmailRequest',
    'x-rules': {
      allOf: [without(foreignEmailKeys[''])],
      anyOf: [
        { required: ['html'], properties: { html: { type: 'string', minLength: 1 } } },
        { required: ['text'], properties: { text: { type: 'string', minLength: 1 } } },
      ],
    },
    description:
      'At least one of `html` and `text` is required. Unknown keys are ignored, but for those of Resend that would change the mail: ' +
      '`template`, `topic_id` and `react` are refused, and `path` of an attachment in a batch.',
    examples: [
      {
        from: 'Boutique <hello@demo.test>',
        to: 'camille@example.com',
        subject: 'Bonjour',
        html: '<p>Bonjour Camille</p>',
        tags: { order: '1042' },
      },
    ],
  },
)
export type EmailRequest = Static<typeof EmailRequest>

const emailFields = {
  id: Type.String({ format: 'uuid' }),
  object: Type.Literal('email'),
  from: Type.String({ examples: ['hello@demo.test'] }),
  to: Type.Array(Type.String({ examples: ['camille@example.com'] })),
  subject: Type.String({ examples: ['Bonjour'] }),
  created_at: DateTime,
}

export const Email = named('Email', {
  ...emailFields,
  scheduled_at: Type.Optional(
    instant('When the message leaves; absent where it was not scheduled.'),
  ),
})
export type Email = Static<typeof Email>

const emailEvents = [
  'queued',
  'scheduled',
  'canceled',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
] as const

const dateTime = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-21T08:30:00.000Z'] })

/**
 * Present while a hand-off ended without an answer, so that the mail may have left; `status` is
 * `queued` meanwhile.
 */
export const InDoubt = Type.Object({
  since: nullable(
    dateTime('When the hand-off ended without an answer; null where that was not recorded.'),
  ),
  decided_by: nullable(
    dateTime(
      'The latest time of the decision: one repeat of the message, feedback, or failure. Null for a mail of a campaign, which waits for feedback or for a user who releases it.',
    ),
  ),
})
export type InDoubt = Static<typeof InDoubt>

const summaryFields = {
  ...emailFields,
  cc: Type.Array(Type.String(), { examples: [[]] }),
  bcc: Type.Array(Type.String(), { examples: [[]] }),
  reply_to: Type.Array(Type.String(), { examples: [[]] }),
  status: oneOf(emailStatuses),
  last_event: oneOf(emailEvents, { description: 'The status, or `scheduled` or `canceled`.' }),
  error: Text.orNull({
    description: 'Reason of refusal when `bounced`, `complained` or `failed`.',
  }),
  in_doubt: nullable(InDoubt, { examples: [null] }),
  tags: nullable(textMap({ description: 'Tags after rewriting.' })),
  message_id: Type.String({
    description: 'The Message-ID header.',
    examples: ['<019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40@demo.test>'],
  }),
  scheduled_at: nullable(DateTime),
  sent_at: nullable(DateTime),
  delivered_at: nullable(DateTime),
}

export const EmailSummary = named('EmailSummary', summaryFields)
export type EmailSummary = Static<typeof EmailSummary>

const Recipient = Type.Object({
  email: Type.String({ examples: ['camille@example.com'] }),
  kind: oneOf(['to', 'cc', 'bcc']),
  status: oneOf(emailStatuses),
  error: Text.orNull(),
  refusal: nullable(RefusalName, { examples: [null] }),
  bounce: nullable(
    oneOf(bounceClasses, {
      description:
        'When `bounced` or `failed` by what a mail server said: `hard`, the address does not exist; `soft`, it cannot take mail now; `policy`, the sender or the content is refused; `other`. Only `hard` suppresses the address at once; five `soft` in a row over a week do too.',
    }),
  ),
  in_doubt: Type.Boolean({ description: 'Handed over without an answer: it may have left.' }),
  attempts: Type.Integer(),
  response: Text.orNull({ description: "The peer's last answer." }),
  sent_at: nullable(DateTime),
  delivered_at: nullable(DateTime),
  delivered_by: Text.orNull({
    description: '`feedback`, `open`, `click`, or `silence`: no bounce came within the time set.',
  }),
  opened_at: nullable(DateTime),
  clicked_at: nullable(DateTime),
})

export const EmailDetail = named('EmailDetail', {
  ...summaryFields,
  html: Text.orNull(),
  text: Text.orNull({
    description: 'As it was given; null where the text part is made from `html`.',
  }),
  expiredAt: Type.Optional(
    instant(
      'When its content expired: `html` and `text` are null from then on. Absent while the content is stored.',
    ),
  ),
  recipients: Type.Array(Recipient),
})
export type EmailDetail = Static<typeof EmailDetail>

export const EmailBatchRequest = Type.Array(EmailRequest, {
  minItems: 1,
  maxItems: limits.batchMax,
  'x-rules': {
    not: {
      contains: holding('attachments', { type: 'array', contains: holding('path', fetchable) }),
    },
  },
})
export const EmailBatch = named('EmailBatch', { data: Type.Array(Email) })

export const EmailReference = named('EmailReference', {
  object: Type.Literal('email'),
  id: Type.String({ format: 'uuid' }),
})

export const RescheduledEmail = named('RescheduledEmail', {
  ...EmailReference.properties,
  scheduled_at: DateTime,
})

export const EmailUpdate = named('EmailUpdate', {
  scheduled_at: Type.String({
    maxLength: 100,
    ...scheduleText,
    description: 'The new time, as `scheduled_at` of `POST /emails`.',
    examples: ['2026-12-24T08:00:00Z'],
  }),
})

export const EmailQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(oneOf(emailStatuses)),
  recipient: Text.optional({
    maxLength: limits.addressMax,
    ...mailbox,
    description: 'One of its addresses.',
  }),
  tag: Text.optional({ maxLength: 600, description: '`name` or `name:value`.' }),
  since: Text.optional({
    maxLength: 40,
    ...timeText,
    description: 'Accepted at or after: RFC 3339.',
  }),
  until: Text.optional({ maxLength: 40, ...timeText, description: 'Accepted before: RFC 3339.' }),
  after: Text.optional({ maxLength: 100, ...knownId, description: 'Entries older than this id.' }),
  before: Text.optional({ maxLength: 100, ...knownId, description: 'Entries newer than this id.' }),
})
export type EmailQuery = Static<typeof EmailQuery>

export const EmailList = listOf(EmailSummary, 'EmailList')
export const EmailParams = Type.Object({
  id: Type.String({ description: 'The id that the send answered.' }),
})

/** How Resend requests a batch that may be sent in part. */
const BatchValidation = oneOf(['strict'], {
  description: 'A batch is sent whole or not at all: `permissive`, as Resend knows it, is refused.',
})

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Text.optional({
    maxLength: limits.idempotencyKeyMax,
    description:
      'Unique per send; the same call with the same key answers the same and sends nothing more. Kept at least 24 hours.',
  }),
})

export const BatchHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  'x-batch-validation': Type.Optional(BatchValidation),
})
