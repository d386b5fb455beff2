/**
 * Defines users' operations for webhooks beyond the API: their health, the exact requests, and the
 * size of a replay.
 */
import { BoundedCount, countedEntriesMax } from '../counted.ts'
import { eventTypes } from '../events.ts'
import { limits } from '../limits.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  instantOrNull,
  listOf,
  nullable,
  objectOrNull,
  oneOf,
  type Static,
} from '../schema.ts'
import {
  RangeReplayRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryParams,
  WebhookParams,
  deliveryStatuses,
} from '../webhooks.ts'

/** Days that the health summary covers. */
export const healthDays = 7
/** Delivered entries that are counted at most; beyond them, there are more. */
export const countedMax = 1_000
/**
 * Failed and waiting entries that are counted at most: they are far apart in the journal, so each
 * costs a look-up.
 */
export const troublesCountedMax = 100
/** Events that a replay's count covers at most. */
export const replayCountMax = 100_000

/** Why an attempt failed, as a code with a sentence on the pages. */
export const failureKinds = [
  ...[
    'answered',
    'redirected',
    'unfinished',
    'broken',
    'timeout',
    'unknown_host',
    'dns',
    'refused',
    'closed',
    'unreachable',
    'tls',
    'stopped',
    'lost',
  ],
  ...['scheme', 'credentials', 'address', 'plain_http', 'other'],
] as const
export type FailureKind = (typeof failureKinds)[number]

const Failure = Type.Object({
  kind: oneOf(failureKinds),
  status: nullable(Type.Integer({ description: 'The status that was answered; null: no answer.' })),
  error: Type.String({ description: 'As the journal has it.' }),
})
export type Failure = Static<typeof Failure>

const WebhookHealth = Type.Object({
  webhook: Webhook,
  delivered: Type.Integer({ minimum: 0, description: 'Of the last days.' }),
  failed: Type.Integer({ minimum: 0, description: 'Of the last days, and given up.' }),
  waiting: Type.Integer({
    minimum: 0,
    description: 'Still to be delivered, whenever they happened.',
  }),
  last_delivered_at: nullable(DateTime),
  last_failure: nullable(
    Type.Object({ ...Failure.properties, at: DateTime, next_attempt_at: nullable(DateTime) }),
  ),
  failing_since: instantOrNull('Since when every attempt has failed.'),
  disabled: objectOrNull({
    because: oneOf(['failing', 'asked'], {
      description: '`failing`: for three days, as the workspace asked for.',
    }),
    at: nullable(DateTime),
  }),
  previous_secret_until: instantOrNull('Until when calls are signed with the former secret too.'),
})
export type WebhookHealth = Static<typeof WebhookHealth>

const WebhooksHealth = Type.Object({
  object: Type.Literal('webhooks_health'),
  webhooks: Type.Array(WebhookHealth, { description: 'All of the workspace, newest first.' }),
  webhooks_max: Type.Integer(),
  days: Type.Integer({ description: 'That are looked back.' }),
  counted_max: Type.Integer({ description: 'So many delivered means: at least.' }),
  troubles_counted_max: Type.Integer({ description: 'So many failed or waiting means: at least.' }),
  disables_failing: Type.Boolean({
    description: 'Whether a webhook that has failed for three days is disabled.',
  }),
})

const WebhookRules = Type.Object({ disables_failing: Type.Boolean() })

const UrlQuery = Type.Object({ url: Type.String({ maxLength: limits.webhookUrlMax }) })
const UrlCheck = Type.Object({
  object: Type.Literal('webhook_url'),
  refusal: nullable(oneOf(['uri', 'scheme', 'credentials', 'address', 'plain_http'])),
})

const EventKinds = Type.Object({
  object: Type.Literal('event_kinds'),
  kinds: Type.Array(
    Type.Object({
      type: oneOf(eventTypes),
      example: Type.String({ description: 'A body of this type, as JSON, indented.' }),
    }),
  ),
})

const { attempt_log: _log, response_body: _body, ...entryFields } = WebhookDelivery.properties
const JournalEntry = Type.Object({ ...entryFields, failure: nullable(Failure) })

const JournalQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(oneOf(deliveryStatuses)),
  type: Type.Optional(oneOf(eventTypes)),
  from: Text.optional({ description: 'Events from then on.' }),
  to: Text.optional({ description: 'Events before then.' }),
})

const Journal = listOf(JournalEntry)

const {
  limit: _limit,
  cursor: _cursor,
  status: _status,
  ...journalFilter
} = JournalQuery.properties

const JournalCount = Type.Object({
  object: Type.Literal('webhook_journal_count'),
  ...BoundedCount.properties,
  statuses: Type.Object({
    delivered: BoundedCount,
    pending: BoundedCount,
    failed: BoundedCount,
  }),
})

/** Deliveries that are selected for a replay at most. */
export const selectedDeliveriesMax = 500

const SelectedReplay = Type.Object({
  object: Type.Literal('webhook_replay_selected'),
  queued: Type.Integer({ minimum: 0, description: 'Deliveries that go out again.' }),
  left_out: Type.Integer({
    minimum: 0,
    description: 'Those that wait or are being sent already, tests, and expired ones.',
  }),
})

const SentRequest = Type.Object({
  url: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
})

const DeliveryAttempt = Type.Object({
  attempt: Type.Integer({ minimum: 1 }),
  at: DateTime,
  status: nullable(Type.Integer()),
  duration_ms: nullable(Type.Integer({ minimum: 0 })),
  failure: nullable(Failure),
  request: nullable(SentRequest, { examples: [null] }),
  answer: Text.orNull({
    description: 'The first 1,000 characters; null when nothing came or it was not kept.',
  }),
})

const DeliveryDetail = Type.Object({
  ...entryFields,
  object: Type.Literal('webhook_delivery_detail'),
  failure: nullable(Failure),
  webhook_name: Type.String(),
  body: Text.orNull({ description: 'The posted bytes; null when they are no longer stored.' }),
  attempts_made: Type.Array(DeliveryAttempt, { description: 'Newest first, the last fifty.' }),
})

const { from, to, only } = RangeReplayRequest.properties
const ReplayCount = Type.Object({
  object: Type.Literal('webhook_replay_count'),
  count: Type.Integer({ minimum: 0, description: 'Deliveries that would go out again.' }),
  at_least: Type.Boolean({ description: 'There are more events than were counted.' }),
})

const EventParams = Type.Object({
  id: Type.String({ maxLength: 40, description: 'Identifier of the event: `evt_…`.' }),
})
const EventDetail = Type.Object({
  object: Type.Literal('event'),
  id: Type.String(),
  type: oneOf(eventTypes),
  test: Type.Boolean(),
  created_at: DateTime,
  body: Type.String({ description: 'As it is posted, byte for byte.' }),
  deliveries: Type.Array(Type.Object({ ...JournalEntry.properties, webhook_name: Type.String() })),
})

const webhooks = operationsOf({ ...ofMembers, tag: 'Webhooks', params: WebhookParams })

export const webhookOperations = {
  listWebhookHealth: webhooks.get('/api/v1/webhook-health', WebhooksHealth, {
    summary: 'Health of the webhooks',
    description:
      'Each webhook of the workspace with the outcomes of its deliveries of the last days.',
  }),
  updateWebhookRules: webhooks.patch('/api/v1/webhook-rules', WebhookRules, {
    summary: 'Choose what happens to webhooks that fail for days',
    description:
      'Whether a webhook that failed for three days is disabled; the workspace then gets a notice.',
    body: WebhookRules,
  }),
  checkWebhookUrl: webhooks.get('/api/v1/webhook-url', UrlCheck, {
    role: 'editor',
    summary: 'Check a URL while it is typed',
    description: 'Why this URL would never be called, without a DNS look-up of its name.',
    query: UrlQuery,
  }),
  listEventKinds: webhooks.get('/api/v1/event-kinds', EventKinds, {
    summary: 'Types of events with an example of each',
    description: 'The events that a webhook can receive, each with an example of its body.',
  }),
  listWebhookJournal: webhooks.get('/api/v1/webhooks/{id}/journal', Journal, {
    summary: "Look through a webhook's journal",
    description:
      'Newest first, by status, type and time. If matches are rare, a page may have few entries or none: `has_more` is then true.',
    query: JournalQuery,
  }),
  countWebhookJournal: webhooks.get('/api/v1/webhooks/{id}/journal/count', JournalCount, {
    summary: "Count a webhook's deliveries by status",
    description: `By type and time, each status among its newest ${countedEntriesMax.toLocaleString('en-US')} deliveries.`,
    query: Type.Object(journalFilter),
  }),
  replaySelectedDeliveries: webhooks.post('/api/v1/webhooks/{id}/journal/replay', SelectedReplay, {
    summary: 'Send selected deliveries again',
    description:
      'Delivered ones go out once more, and failed ones begin their retries again, by the workers.',
    body: Type.Object({
      ids: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: selectedDeliveriesMax,
        description: 'Identifiers of deliveries.',
      }),
    }),
  }),
  getWebhookDelivery: webhooks.get(
    '/api/v1/webhooks/{id}/deliveries/{deliveryId}',
    DeliveryDetail,
    {
      summary: 'Read a delivery',
      description: 'Every attempt with the sent request and the answer.',
      params: WebhookDeliveryParams,
    },
  ),
  countWebhookReplay: webhooks.get('/api/v1/webhooks/{id}/replay', ReplayCount, {
    role: 'editor',
    summary: 'Count the events of a replay',
    description:
      'How many deliveries `replayWebhookEvents` would send again with the same choices.',
    query: Type.Object({ from, to, only }),
  }),
  getEvent: webhooks.get('/api/v1/events/{id}', EventDetail, {
    summary: 'Read an event',
    description: 'Its body, and to which webhooks it went.',
    params: EventParams,
  }),
}
