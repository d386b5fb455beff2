/**
 * Defines the requests, answers and statistics of campaigns (spec: Campaign, CampaignStats;
 * semantics 4).
 */
import { campaignFields, campaignKinds, partOf } from './campaign-fields.ts'
import { addressesForReplies } from './emails.ts'
import type { Hint } from './hints.ts'
import { limits } from './limits.ts'
import { words } from '../ground/words.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  eachOptional,
  instant,
  instantOrNull,
  listOf,
  named,
  nullable,
  oneOf,
  optionalOrNull,
  type Static,
} from './schema.ts'
import { addressAlone, knownId, scheduleText, straightLine } from './text-rules.ts'
import { without } from './without.ts'

/** In the order of a campaign's life cycle. */
export const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'archived'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

const id = Type.String({ format: 'uuid' })
const status = oneOf(campaignStatuses)
const kind = oneOf(campaignKinds, { description: 'In which of three ways it was written.' })
const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })
const share = (description: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 1, description }))

/** Counters that statistics and the campaign's answer share (spec: CampaignStats, counts). */
const counts = Type.Object({
  recipients: count('The frozen list.'),
  delivered: count('Known to have arrived.'),
  opened: count('Recipients with an open that counts: scanners do not.'),
  clicked: count('Recipients with a click that counts.'),
  bounced: count('The address does not exist.'),
  complained: count('Reported as spam.'),
  unsubscribed: count('Left by this campaign.'),
})
export type CampaignCounts = Static<typeof counts>

const rates = Type.Object({
  delivered: share('Of the recipients.'),
  opened: share('Of the delivered.'),
  clicked: share('Of the delivered.'),
  bounced: share('Of the recipients.'),
})
export type CampaignRates = Static<typeof rates>

const progress = Type.Object(
  {
    pending: count('Waiting, or being handed over.'),
    sent: count('Handed over; what came later is in `counts`.'),
    failed: count('Refused or given up, each with its reason.'),
    suppressed: count('Suppressed since the list was frozen: nothing left for them.'),
    in_doubt: count('Handed over without an answer: held until a person releases them.'),
  },
  { description: 'About hand-off. At every instant `recipients` is the sum of the five.' },
)
export type CampaignProgress = Static<typeof progress>

/** Recipients whose hand-off had no answer, and what a user can do about them. */
export const CampaignDoubt = Type.Object({
  recipients: count('How many: the same as `progress.in_doubt`.'),
  note: Type.String({
    description:
      'The meaning, and the effect of `release`, for human readers; no logic may rely on it.',
    examples: ['2 recipients are in doubt.'],
  }),
})
export type CampaignDoubt = Static<typeof CampaignDoubt>

/** A member chose it in the workspace; no key does. */
const CampaignTopicName = nullable(
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: Type.String({
      description: 'When its list was frozen, or now.',
      examples: ['Product news'],
    }),
    left_out: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'How many get no mail for the topic: the list would have had them without it, or they left it before their turn. Null: the list is not frozen.',
      }),
    ),
  }),
  { examples: [null] },
)

/** Whom a member chose in the workspace; no key does. */
const AudienceName = nullable(
  Type.Object({
    name: Text.orNull({
      description: 'Of the segment, or the tags; null: everybody subscribed, but for exclusions.',
    }),
    exclusions: count('How many parts it leaves out.'),
  }),
  { examples: [null] },
)

export const Campaign = named('Campaign', {
  object: Type.Literal('campaign'),
  id,
  ...partOf('value', { readers: 'all' }),
  status,
  kind,
  reply_to: campaignFields.replyTo.value,
  track_opens: campaignFields.trackOpens.value,
  track_clicks: campaignFields.trackClicks.value,
  topic: CampaignTopicName,
  audience: AudienceName,
  recipients: count('The frozen list; 0 before it is sent.'),
  queued: count('The number of recipients that the send froze into the queue, as it answered.'),
  progress,
  in_doubt: nullable(CampaignDoubt, { examples: [null] }),
  counts,
  rates,
  paused: Type.Boolean({ description: 'Whether it stands still while `sending`.' }),
  scheduledAt: nullable(DateTime),
  sentAt: instantOrNull('When the hand-off began.'),
  completedAt: instantOrNull('When nothing was left to hand over.'),
  created_at: DateTime,
  updated_at: DateTime,
  updatedAt: instant('The same as `updated_at`.'),
})
export type Campaign = Static<typeof Campaign>

/** As users read it in their workspace. */
export const WorkspaceCampaign = Type.Object({
  ...Campaign.properties,
  ...partOf('value', { readers: 'users' }),
})
export type WorkspaceCampaign = Static<typeof WorkspaceCampaign>

export const CampaignList = listOf(Campaign, 'CampaignList')
export const CampaignParams = Type.Object({
  id: Type.String({ description: "The campaign's id, which campaign lists show." }),
})
export const CampaignQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(status),
  after: Text.optional({
    maxLength: 100,
    ...knownId,
    description: 'Entries older than this id, in place of a cursor.',
  }),
})

/** An extension: a caller who counted beforehand can limit the send to that number. */
const confirmed = Type.Integer({
  minimum: 0,
  // More digits are not accepted as a number (validate-shape.ts).
  'x-rules': { maximum: 999_999_999_999_999 },
  description:
    'The number of recipients that was agreed to: when another number would be reached, nothing is sent.',
  examples: [20_000],
})
export const CampaignSendQuery = Type.Object({ confirm_recipients: Type.Optional(confirmed) })
/** A user always agrees to a number. */
export const MemberSendQuery = Type.Object({ confirm_recipients: confirmed })

/**
 * Keys of other services that would change who gets the mail, when, or how often: refused by name,
 * while all other unknown keys are ignored. Null and an empty text are absent.
 */
const campaignKeys: [hint: Hint, keys: string][] = [
  [
    'campaign_time',
    `scheduled_at scheduledAt scheduled_for scheduledFor schedule schedule_time schedule_date_time send_at sendAt send_time sendTime
    send_now sendNow sendAtBestTime send_strategy send_campaign deliver_at deliverAt delivery_time publish_at publishAt publish_date
    send timezone timewarp batch_delivery batch_size`,
  ],
  [
    'campaign_audience',
    `segment segments segment_id segmentId segment_ids segmentIds audience audiences audience_id audienceId audience_ids list lists
    list_id listId list_ids listIds group groups group_id groupId group_ids groupIds recipients to cc bcc contacts subscribers
    send_to sendTo filter filters subscriber_filter exclude excluded exclude_list_ids exclude_segment_ids exclude_segments_ids
    exclusion_list exclusionListIds except exclusions target targeting topic topics topic_id topicId`,
  ],
  [
    'campaign_repeat',
    'recurring recurrence repeat frequency interval ab_test abTest ab_testing abTesting variants resend',
  ],
]

export const foreignCampaignKeys = {
  '': Object.fromEntries(
    campaignKeys.flatMap(([hint, keys]) => words(keys).map((key) => [key, hint])),
  ),
}

/**
 * The fields of a mail under the names that `POST /emails` has for them, each beside its name here.
 */
export const campaignAliases = {
  replyTo: 'reply_to',
  trackOpens: 'track_opens',
  trackClicks: 'track_clicks',
} as const
const aliasOf = (name: keyof typeof campaignAliases) =>
  ({ description: `Alias of \`${name}\`; supply only one of the two.` }) as const

const requestFields = {
  ...partOf('request'),
  reply_to: optionalOrNull(addressesForReplies(aliasOf('replyTo').description)),
  track_opens: optionalOrNull(Type.Boolean(aliasOf('trackOpens'))),
  track_clicks: optionalOrNull(Type.Boolean(aliasOf('trackClicks'))),
}

const unknownKeys =
  'Unknown keys are ignored, but for those that would change who gets the mail, when or how often, such as `scheduled_at` and `segment_id`: they are refused.'

export const CampaignRequest = Type.Object(requestFields, {
  $id: 'CampaignRequest',
  'x-rules': {
    allOf: [without(foreignCampaignKeys[''])],
    oneOf: [
      { required: ['text'], properties: { text: { type: 'string', pattern: '\\S' } } },
      { required: ['content'], properties: { content: { type: 'array', minItems: 1 } } },
      { required: ['html'], properties: { html: { type: 'string', pattern: '\\S' } } },
    ],
  },
  description: `Exactly one of \`text\`, \`content\` and \`html\` is required. ${unknownKeys}`,
  examples: [
    {
      name: 'November news',
      subject: 'What is new in November',
      preheader: 'Three things, in two minutes',
      text: '# Hello {{firstName | default: "you"}}\n\nThree things are new this month.',
    },
  ],
})
export type CampaignRequest = Static<typeof CampaignRequest>

/** An absent field stays. */
export const CampaignUpdate = Type.Object(eachOptional(requestFields), {
  $id: 'CampaignUpdate',
  'x-rules': { allOf: [without(foreignCampaignKeys[''])] },
  description: `What is given takes the place of what was: content of one kind that of another, and null empties \`preheader\` and \`reply_to\`. ${unknownKeys}`,
  examples: [{ subject: 'What is new in December' }],
})

/** The foreign keys of a call that knows these ones itself. */
const foreignKeysBut = (...known: string[]) => ({
  '': Object.fromEntries(
    Object.entries(foreignCampaignKeys['']).filter(([key]) => !known.includes(key)),
  ),
})

export const foreignScheduleKeys = foreignKeysBut('scheduledAt', 'scheduled_at')
export const CampaignSchedule = Type.Object(
  {
    scheduledAt: Text.optional({
      maxLength: 64,
      ...scheduleText,
      description:
        'At most a year ahead: RFC 3339, or words such as `in 1 hour`, `tomorrow at 9am` and `Friday at 3pm ET`, in UTC unless they name a zone.',
    }),
    scheduled_at: Text.optional({
      maxLength: 64,
      ...scheduleText,
      description: 'Alias of `scheduledAt`; supply only one of the two.',
    }),
  },
  {
    'x-rules': {
      allOf: [without(foreignScheduleKeys[''])],
      anyOf: [{ required: ['scheduledAt'] }, { required: ['scheduled_at'] }],
    },
    examples: [{ scheduledAt: '2026-12-24T08:00:00Z' }],
  },
)

export const CampaignCopy = Type.Object(
  {
    name: Text.optional({
      minLength: 1,
      maxLength: limits.campaignNameMax,
      ...straightLine,
      description: 'Absent: the same.',
    }),
  },
  { 'x-rules': { allOf: [without(foreignCampaignKeys[''])] } },
)

export const foreignTestKeys = foreignKeysBut('to')
const testAddress = { minLength: limits.addressMin, maxLength: limits.addressMax, ...addressAlone }
export const CampaignTest = Type.Object(
  {
    to: optionalOrNull(
      Type.Union([
        Type.String({ ...testAddress, description: 'A member of the workspace, or a subscriber.' }),
        Type.Array(Type.String(testAddress), { minItems: 1, maxItems: limits.testRecipientsMax }),
      ]),
    ),
  },
  {
    'x-rules': { required: ['to'], allOf: [without(foreignTestKeys[''])] },
    examples: [{ to: 'camille@example.com' }],
  },
)

/** The messages of a test are no single messages: no key reads them. */
export const CampaignTested = named('CampaignTested', {
  object: Type.Literal('campaign_test'),
  id,
  data: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid', description: 'Of the message.' }),
      to: Type.String({ examples: ['camille@example.com'] }),
    }),
  ),
})

export const CampaignDeleted = named('CampaignDeleted', {
  object: Type.Literal('campaign'),
  id,
  deleted: Type.Literal(true),
})

export const CampaignCreated = named('CampaignCreated', {
  id,
  object: Type.Literal('campaign'),
  name: campaignFields.name.value,
  status: Type.Literal('draft'),
})

export const CampaignSent = named('CampaignSent', {
  id,
  object: Type.Literal('campaign'),
  status: Type.Literal('sending'),
  queued: Type.Integer({
    minimum: 1,
    description: 'How many recipients were frozen into the queue.',
    examples: [20_000],
  }),
  note: Type.String({
    description: 'For people; no logic may rely on it.',
    examples: ['20,000 recipients are in the queue.'],
  }),
})

/** One of at most five rows, the most frequent first. */
const breakdown = Type.Array(
  Type.Object({
    label: Type.String({ examples: ['Apple Mail'] }),
    count: count('Recipients.'),
    share: Type.Number({ minimum: 0, maximum: 1 }),
  }),
  { maxItems: 5, examples: [[]] },
)

/** An extension: the specification counts what was delivered, and this says how that is known. */
const delivery = nullable(
  Type.Object(
    {
      reported: count('By a report of the provider or the mail server.'),
      engaged: count('By an open or a click, without a report.'),
      assumed: count('Not known: no bounce came within the time set, and nothing else.'),
      assumedShare: nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Of the delivered; null while there are none.',
        }),
      ),
    },
    {
      description:
        'How the deliveries in `counts.delivered` are known. Null: the campaign began in a version that did not count this; `campaign recount` does.',
    },
  ),
)

export const CampaignStats = named('CampaignStats', {
  campaign: Type.Object({
    id,
    name: campaignFields.name.value,
    subject: campaignFields.subject.value,
    status,
    kind,
    fromName: campaignFields.fromName.value,
    fromEmail: campaignFields.fromEmail.value,
    sentAt: nullable(DateTime),
    scheduledAt: nullable(DateTime),
    updatedAt: DateTime,
  }),
  counts,
  rates,
  delivery,
  timeline: Type.Array(
    Type.Object({
      label: Type.String({
        description: '`0-6h` to `42-48h` after the hand-off began.',
        examples: ['0-6h'],
      }),
      opened: count('First opens in this window.'),
      clicked: count('First clicks in this window.'),
    }),
    { maxItems: 8, description: 'Empty while the campaign has not gone out.', examples: [[]] },
  ),
  audience: Type.Object({
    total: count('Recipients with an open that counts, by the first of them.'),
    proxiedShare: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of opens that came through a privacy relay.',
    }),
    device: breakdown,
    os: breakdown,
    client: breakdown,
  }),
  links: Type.Array(
    Type.Object({
      url: Type.String({ examples: ['https://example.com/'] }),
      clicks: count('All clicks that count; links to unsubscribe never do.'),
    }),
    { description: 'From most to least clicked.', examples: [[]] },
  ),
  html: Type.String({
    description: 'The message as sent, without personal links; empty if not sent.',
    examples: [''],
  }),
})
export type CampaignStats = Static<typeof CampaignStats>
