/**
 * Defines webhooks: which URL receives which events, and the journal of each call (spec: Webhook
 * subscription, Webhook delivery; semantics 4).
 */
import { eventTypes } from './events.ts'
import { limits } from './limits.ts'
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
  type Static,
} from './schema.ts'
import { knownId, timeText, webUrl, webhookName } from './text-rules.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

const name = Type.String({
  maxLength: limits.webhookNameMax,
  ...webhookName,
  description: 'Absent: the host of the URL.',
  examples: ['shop'],
})
const url = Type.String({
  maxLength: limits.webhookUrlMax,
  ...webUrl,
  description:
    'Where events are posted: https, without user and password. http goes to addresses in a range that the operator allows only.',
  examples: ['https://shop.example/hooks/facteur'],
})
const events = Type.Array(oneOf(eventTypes), {
  minItems: 1,
  description: 'The types that it receives.',
  examples: [['email.delivered', 'email.bounced']],
})
const enabled = Type.Boolean({
  default: true,
  description: '`false`: no new events are recorded for it and nothing is sent; the journal stays.',
  examples: [true],
})

const endpoint = Type.String({
  ...url,
  description: 'The same as `url`, as Resend names it. Both may stand only with one value.',
})
const webhookStatus = oneOf(['enabled', 'disabled'], {
  description: '`enabled` in words, as Resend has it. Both may stand only when they agree.',
})
const webhookFields = {
  url: Type.Optional(url),
  endpoint: Type.Optional(endpoint),
  name: Type.Optional(name),
  enabled: Type.Optional(enabled),
  status: Type.Optional(webhookStatus),
}

/** Null counts as absent. */
const present = (spelling: 'url' | 'endpoint') => ({
  required: [spelling],
  properties: { [spelling]: { type: 'string' } },
})

/** One of `url` and `endpoint` is required. */
export const WebhookRequest = Type.Object(
  { ...webhookFields, events },
  {
    $id: 'WebhookRequest',
    'x-rules': { anyOf: [present('url'), present('endpoint')] },
    examples: [
      {
        name: 'shop',
        url: 'https://shop.example/hooks/facteur',
        events: ['email.delivered', 'email.bounced'],
      },
    ],
  },
)
export type WebhookRequest = Static<typeof WebhookRequest>

export const WebhookUpdate = Type.Object(
  { ...webhookFields, events: Type.Optional(events) },
  { $id: 'WebhookUpdate', examples: [{ enabled: true }] },
)
export type WebhookUpdate = Static<typeof WebhookUpdate>

const fields = {
  object: Type.Literal('webhook'),
  id: Type.String({ format: 'uuid', examples: [exampleId] }),
  name: Type.String({ examples: ['shop'] }),
  url: Type.String({ examples: ['https://shop.example/hooks/facteur'] }),
  endpoint: Type.String({
    description: 'The same as `url`.',
    examples: ['https://shop.example/hooks/facteur'],
  }),
  events: Type.Array(oneOf(eventTypes), { examples: [['email.delivered', 'email.bounced']] }),
  enabled: Type.Boolean({ examples: [true] }),
  status: oneOf(['enabled', 'disabled'], {
    description: 'The same as `enabled`, in words.',
  }),
  created_at: DateTime,
  updated_at: DateTime,
}

/** As lists and updates return it. */
export const Webhook = named('Webhook', fields)
export type Webhook = Static<typeof Webhook>

const secretExample = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD2kZ6l3sC3Pg='

/** As its creation and the read of one return it. */
export const WebhookWithSecret = named('WebhookWithSecret', {
  ...fields,
  secret: Type.String({
    description:
      '`whsec_` and 32 bytes in base64. `Service-Signature` is keyed with this text, `webhook-signature` (and `svix-signature`) with the decoded bytes.',
    examples: [secretExample],
  }),
  signing_secret: Type.String({
    description: 'The same as `secret`.',
    examples: [secretExample],
  }),
})

export const WebhookList = listOf(Webhook, 'WebhookList')

const positionOf = (description: string) =>
  Text.optional({ maxLength: 100, ...knownId, description, examples: [exampleId] })

export const WebhookQuery = Type.Object({
  ...PageQuery.properties,
  after: positionOf('Webhooks older than this id.'),
  before: positionOf('Webhooks newer than this id.'),
})

export const WebhookParams = Type.Object({
  id: Type.String({ description: 'Identifier of the webhook.', examples: [exampleId] }),
})

export const WebhookDeleted = named('WebhookDeleted', {
  object: Type.Literal('webhook'),
  id: Type.String({ format: 'uuid', examples: [exampleId] }),
  deleted: Type.Boolean({ examples: [true] }),
})

export const RotationQuery = Type.Object({
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.rotationHoursMax,
      default: 24,
      description: 'For how long calls are signed with the old secret as well.',
    }),
  ),
})

export const deliveryStatuses = ['delivered', 'pending', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

const status = oneOf(deliveryStatuses)
const responseStatus = nullable(
  Type.Integer({
    description: 'The status that the receiver answered; null: no answer.',
    examples: [200],
  }),
)
const error = Text.orNull({ description: 'Why the attempt failed; null when it did not.' })
const attempts = Type.Integer({ minimum: 0, description: 'Begun so far.', examples: [1] })

/** The result of one attempt, or the entry of a test. */
const attemptStatus = oneOf(['delivered', 'failed'])

const Attempt = Type.Object({
  attempt: Type.Integer({ minimum: 1, examples: [1] }),
  at: DateTime,
  status: attemptStatus,
  response_status: responseStatus,
  response_body: Text.orNull({
    description: 'The beginning of the response, at most 1,000 characters; null when nothing came.',
    examples: ['ok'],
  }),
  error,
  duration_ms: nullable(Type.Integer({ minimum: 0, examples: [41] })),
})

export const WebhookDelivery = named('WebhookDelivery', {
  object: Type.Literal('webhook_delivery'),
  id: Type.String({ format: 'uuid', examples: ['019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41'] }),
  webhook_id: Type.String({ format: 'uuid', examples: [exampleId] }),
  event_id: Type.String({ examples: ['evt_019aa5a17f007c319a5e3b1f6c2d8e40'] }),
  type: oneOf(eventTypes),
  status,
  attempts,
  response_status: responseStatus,
  response_body: Text.orNull({
    description: 'The first 2 KB of what the receiver answered.',
    examples: ['ok'],
  }),
  error,
  duration_ms: nullable(
    Type.Integer({ minimum: 0, description: 'Of the last attempt.', examples: [41] }),
  ),
  test: Type.Boolean({ description: 'Whether the test operation made it.', examples: [false] }),
  created_at: DateTime,
  last_attempt_at: nullable(DateTime),
  next_attempt_at: nullable(DateTime),
  attempt_log: Type.Array(Attempt, { description: 'Each attempt, the last fifty.' }),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryList = listOf(WebhookDelivery, 'WebhookDeliveryList')

export const WebhookDeliveryQuery = PageQuery

export const WebhookDeliveryParams = Type.Object({
  id: WebhookParams.properties.id,
  deliveryId: Type.String({
    description: 'Identifier of an entry of the journal.',
    examples: ['019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41'],
  }),
})

const outcome = { status: attemptStatus, attempts, response_status: responseStatus, error }

export const WebhookTest = named('WebhookTest', {
  object: Type.Literal('webhook_test'),
  delivery_id: Type.String({ format: 'uuid' }),
  ...outcome,
})

export const WebhookReplay = named('WebhookReplay', {
  object: Type.Literal('webhook_delivery'),
  id: Type.String({ format: 'uuid' }),
  ...outcome,
})

export const RangeReplayRequest = Type.Object(
  {
    from: Type.String({
      ...timeText,
      description: 'Events from then on.',
      examples: ['2026-11-21T08:00:00.000Z'],
    }),
    to: Text.optional({ ...timeText, description: 'Events before then; absent: until now.' }),
    only: Type.Optional(
      oneOf(['undelivered', 'all'], {
        default: 'undelivered',
        description:
          '`undelivered`: failed events, and those that it missed while it was disabled. `all`: also delivered ones.',
      }),
    ),
  },
  { $id: 'RangeReplayRequest', examples: [{ from: '2026-11-21T08:00:00.000Z' }] },
)

export const RangeReplay = named('RangeReplay', {
  object: Type.Literal('webhook_replay'),
  webhook_id: Type.String({ format: 'uuid', examples: [exampleId] }),
  queued: Type.Integer({
    minimum: 0,
    description: 'Deliveries that go out again, by the workers.',
    examples: [12],
  }),
  expiredBefore: Type.Optional(
    instant(
      'Events from before this moment have expired and were left out. Absent: none were left out.',
    ),
  ),
})
