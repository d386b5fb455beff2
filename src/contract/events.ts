/**
 * Defines the events of webhooks (spec: Events; semantics 4: Event data): their types, their body,
 * and the data of each.
 */
import { CampaignDoubt } from './campaigns.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  listOf,
  named,
  nullable,
  oneOf,
  textMap,
  type Static,
  type TObject,
} from './schema.ts'
import { Subscriber, everyoneId } from './subscribers.ts'
import { eventCursor } from './text-rules.ts'
import { SuppressionEntry, suppressionReasons } from './suppression.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
const idOrNull = (description: string, options = {}) =>
  nullable(Type.String({ format: 'uuid', description, examples: [exampleId] }), options)
/** The examples show a single message, whose campaign is null. */
const messageId = (description: string) => idOrNull(description, { examples: [exampleId] })

/** The data of every `email.*` event about its envelope. */
const email = {
  email_id: messageId('The message; null for a mail of a campaign.'),
  id: messageId('The same as `email_id`.'),
  from: Type.String({ examples: ['hello@demo.test'] }),
  to: Type.Array(Type.String(), {
    description: 'As the header names them.',
    examples: [['camille@example.com']],
  }),
  recipient: Type.String({
    description: 'The recipient of this envelope.',
    examples: ['camille@example.com'],
  }),
  subject: Type.String({ examples: ['Bonjour'] }),
  tags: textMap({ examples: [{ order: '1042' }] }),
  created_at: DateTime,
  message_id: Type.String({
    description: 'The header `Message-ID`, without angle brackets.',
    examples: ['019aa5a1@demo.test'],
  }),
  campaign_id: idOrNull('The campaign; null for a single message.'),
  broadcast_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'The same as `campaign_id`, as Resend names it; absent for a single message.',
      examples: [],
    }),
  ),
  subscriber_id: idOrNull('Whom a campaign wrote to; null for a single message.'),
}

const EmailEvent = named('EmailEvent', email)
const BounceEvent = named('BounceEvent', {
  ...email,
  bounce: Type.Object({
    type: Type.String({
      description: '`hard`: the address does not exist, and was suppressed.',
      examples: ['hard'],
    }),
    subType: Type.String({ description: 'The same as `type`.', examples: ['hard'] }),
    message: Type.String({ examples: ['550 5.1.1 no such user'] }),
    code: nullable(
      Type.String({
        description: 'The enhanced status code (RFC 3463), or the reply code.',
        examples: ['5.1.1'],
      }),
      {
        examples: ['5.1.1'],
      },
    ),
  }),
})
const ComplaintEvent = named('ComplaintEvent', {
  ...email,
  complaint: Type.Object({ type: Type.String({ examples: ['abuse'] }) }),
})
const FailureEvent = named('FailureEvent', {
  ...email,
  error: Type.String({ description: 'Why.' }),
  failed: Type.Object({ reason: Type.String({ description: 'The same as `error`.' }) }),
})
const DelayEvent = named('DelayEvent', {
  ...email,
  error: Type.String({
    description: 'What the mail host said, or why it could not be reached.',
    examples: ['451 4.7.1 try again later'],
  }),
})
const ScheduleEvent = named('ScheduleEvent', { ...email, scheduled_at: DateTime })
const WithheldEvent = named('WithheldEvent', {
  ...email,
  suppressed: Type.Object({
    message: Type.String({ examples: ['suppressed: unsubscribe'] }),
    type: oneOf(suppressionReasons),
  }),
})
const machine = Type.Boolean({
  description: 'Fetched by a program on the person’s behalf, perhaps unread.',
  examples: [false],
})
const userAgent = Type.String({
  examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0'],
})
const OpenEvent = named('OpenEvent', {
  ...email,
  open: Type.Object({
    at: DateTime,
    userAgent,
    machine,
    proxied: Type.Boolean({ description: 'Through a privacy relay.', examples: [false] }),
  }),
})
const ClickEvent = named('ClickEvent', {
  ...email,
  click: Type.Object({
    link: Type.String({ examples: ['https://shop.example/order/1042'] }),
    timestamp: DateTime,
    ipAddress: Type.String({
      description: 'Always empty: addresses of readers are given to nobody.',
      examples: [''],
    }),
    userAgent,
    machine,
  }),
})
const SubscriberEvent = named('SubscriberEvent', {
  ...Subscriber.properties,
  reason: Text.orNull({
    description:
      'Why the subscriber left: `unsubscribe`, or the reason of the suppression; else null.',
  }),
})
const ContactEvent = named('ContactEvent', {
  ...Subscriber.properties,
  audience_id: Type.String({
    description: 'The one segment, everyone subscribed.',
    examples: [everyoneId],
  }),
  segment_ids: Type.Array(Type.String(), {
    description: 'That segment while the contact is subscribed; else empty.',
    examples: [[]],
  }),
  first_name: Text.orNull({ description: 'The same as `firstName`.' }),
  last_name: Text.orNull({ description: 'The same as `lastName`.' }),
  unsubscribed: Type.Boolean({
    description: 'Whether campaigns no longer reach the contact; a pending one has not left.',
    examples: [false],
  }),
})
const CampaignEvent = named('CampaignEvent', {
  object: Type.Literal('campaign'),
  id: Type.String({ format: 'uuid' }),
  campaign_id: Type.String({ format: 'uuid', description: 'The same as `id`.' }),
  name: Type.String({ examples: ['November'] }),
  subject: Type.String({ examples: ['Bonjour'] }),
  status: Type.Literal('sent'),
  recipients: Type.Integer({ minimum: 0, examples: [1000] }),
  progress: Type.Object({
    pending: Type.Integer({ minimum: 0 }),
    sent: Type.Integer({ minimum: 0, examples: [998] }),
    failed: Type.Integer({ minimum: 0, examples: [1] }),
    suppressed: Type.Integer({ minimum: 0, examples: [1] }),
    in_doubt: Type.Integer({ minimum: 0 }),
  }),
  in_doubt: nullable(CampaignDoubt, { examples: [null] }),
  sentAt: nullable(DateTime),
  completedAt: nullable(DateTime),
})

/**
 * The changes that are a single statement while no webhook subscribes to what they publish
 * (core/events/change-and-publish.ts).
 */
export type SingleStatement = 'outcome' | 'accepted batch' | 'engagement' | 'assumed delivery'

interface EventKind {
  summary: string
  data: TObject
  /**
   * The single-statement changes that publish it. A change that is not listed here does not
   * compile.
   */
  by?: readonly SingleStatement[]
}

/** The specified types first; a webhook receives the additional ones only when it names them. */
export const eventKinds = {
  'email.delivered': {
    summary: "The recipient's server took the message, or is taken to have.",
    data: EmailEvent,
    by: ['engagement', 'assumed delivery'],
  },
  'email.opened': {
    summary: 'The first opening by each recipient that counts; a click counts too.',
    data: OpenEvent,
    by: ['engagement'],
  },
  'email.clicked': {
    summary: 'Each click on a link that counts.',
    data: ClickEvent,
    by: ['engagement'],
  },
  'email.bounced': { summary: 'The address does not exist; it is suppressed.', data: BounceEvent },
  'email.complained': {
    summary: 'The recipient marked the message as spam; the address is suppressed.',
    data: ComplaintEvent,
  },
  'subscriber.created': {
    summary: 'A subscriber is new; `status` is `pending` until they confirm.',
    data: SubscriberEvent,
  },
  'subscriber.unsubscribed': {
    summary: 'A subscriber unsubscribed, or was removed.',
    data: SubscriberEvent,
  },
  'email.sent': {
    summary: 'The message was handed to the provider.',
    data: EmailEvent,
    by: ['outcome', 'accepted batch'],
  },
  'email.failed': {
    summary: 'The message will not arrive, for a reason that is not the address.',
    data: FailureEvent,
    by: ['outcome'],
  },
  'subscriber.confirmed': {
    summary: 'A subscriber confirmed, and is subscribed.',
    data: SubscriberEvent,
  },
  'campaign.sent': { summary: 'Nothing of a campaign is left to hand over.', data: CampaignEvent },
  'email.delivery_delayed': {
    summary: 'A mail host put the message off, at each attempt; it is tried again.',
    data: DelayEvent,
    by: ['outcome'],
  },
  'email.scheduled': {
    summary: 'A message was accepted for a later time.',
    data: ScheduleEvent,
  },
  'email.suppressed': {
    summary:
      'A message that was accepted is withheld, because its recipient was suppressed meanwhile; `email.failed` says so too.',
    data: WithheldEvent,
  },
  'contact.created': {
    summary: 'The same as `subscriber.created`, in the form of Resend.',
    data: ContactEvent,
  },
  'contact.updated': {
    summary:
      'A contact was changed by a call or a user, confirmed or unsubscribed, in the form of Resend. Imports and changes of all contacts at once publish none.',
    data: ContactEvent,
  },
  'suppression.created': { summary: 'An address is suppressed.', data: SuppressionEntry },
} as const satisfies Record<string, EventKind>

export type EventType = keyof typeof eventKinds

export const eventTypes: readonly EventType[] = Object.keys(eventKinds).filter(isEventType)

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(eventKinds, text)
}

/** The types that a change may publish, as the table names them. */
export type EventTypeBy<Change extends SingleStatement> = {
  [Type in EventType]: (typeof eventKinds)[Type] extends { by: readonly (infer Named)[] }
    ? Change extends Named
      ? Type
      : never
    : never
}[EventType]

const typesBy = (change: SingleStatement): readonly EventType[] =>
  eventTypes.filter((type) => {
    const { by }: EventKind = eventKinds[type]
    return by?.includes(change)
  })

export const eventTypesBy: Record<SingleStatement, readonly EventType[]> = {
  outcome: typesBy('outcome'),
  'accepted batch': typesBy('accepted batch'),
  engagement: typesBy('engagement'),
  'assumed delivery': typesBy('assumed delivery'),
}

/** The body of every webhook call (spec: Body of every event). */
const body = {
  id: Type.String({
    description: 'Begins `evt_`; the same in every retry and replay.',
    examples: ['evt_019aa5a17f007c319a5e3b1f6c2d8e40'],
  }),
  type: oneOf(eventTypes),
  created_at: DateTime,
}

export const Event = named('Event', {
  ...body,
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'The facts of the event, by `type`, as the webhooks list them.',
    },
  ),
})
export type Event = Static<typeof Event>

/**
 * The data of the event that `POST /webhooks/{id}/test` sends, whose type is the first of the
 * subscription (spec: Webhooks).
 */
export const TestEvent = Type.Object(
  { test: Type.Literal(true, { description: 'Only a test has this field.' }) },
  { $id: 'TestEvent', description: 'The event of a test of the webhook, of any type.' },
)

/**
 * The whole body of one type, as OpenAPI describes it: the first variant is a real event, the
 * second a test.
 */
export const eventBody = (type: EventType): TObject =>
  Type.Object({
    ...body,
    type: Type.Literal(type),
    data: Type.Union([eventKinds[type].data, TestEvent]),
  })

export const EventList = listOf(Event, 'EventList')

export const EventQuery = Type.Object({
  limit: PageQuery.properties.limit,
  after: Text.optional({
    maxLength: 40,
    ...eventCursor,
    description:
      'Identifier of an event: what was committed after it. Absent: from the oldest that is kept.',
    examples: ['evt_019aa5a17f007c319a5e3b1f6c2d8e40'],
  }),
  cursor: Text.optional({
    maxLength: 40,
    ...eventCursor,
    description: 'The `next_cursor` of the previous answer: the same as `after`.',
  }),
})
