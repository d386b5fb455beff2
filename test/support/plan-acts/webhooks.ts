/**
 * What pages and workers read of a journal, and a webhook that has 60,000 entries, nearly all of
 * them delivered.
 */
import type { Connection } from '../../../src/database/client/connect.ts'
import {
  claimDeliveries,
  recordAttempts,
  webhooksDue,
} from '../../../src/db/webhooks/webhook-claims.ts'
import { webhookHealth } from '../../../src/db/webhooks/webhook-health.ts'
import {
  deliveryPage,
  replayChosen,
  replayRange,
} from '../../../src/db/webhooks/webhook-journal.ts'
import {
  countJournal,
  countRange,
  deliveriesOf,
  eventById,
  searchJournal,
  type JournalFilter,
} from '../../../src/db/webhooks/webhook-search.ts'
import type { Acts, PlannedArea } from '../plans.ts'

const many = 60_000
const workspaceId = 1
const webhookId = '00000000-0000-7000-8000-000000000001'
/** By its time, in seconds before now. */
const eventId = (number: number): string =>
  `0199aa00-0000-7000-8000-${String(number).padStart(12, '0')}`
const hundred = Array.from({ length: 100 }, (_, index) => many - index)

const any: JournalFilter = { status: null, type: null, from: null, to: null }
const search = (filter: Partial<JournalFilter>) => (db: Connection) =>
  searchJournal(db, workspaceId, webhookId, {
    filter: { ...any, ...filter },
    max: 51,
    before: null,
  })
const range = {
  from: '2020-01-01T00:00:00.000Z',
  to: null,
  all: false,
  max: 2_000,
  after: eventId(many / 2),
}
const attempt = (number: number) => ({
  ...{
    webhookId,
    eventId: eventId(number),
    fence: 1,
    attempt: 1,
    at: '2026-11-21T08:00:00.000Z',
    sent: null,
  },
  ...{ outcome: 'delivered' as const, status: 200, body: 'ok', error: null, durationMs: 5 },
})

const acts: Acts = {
  'the journal': search({}),
  'what waits': search({ status: 'pending' }),
  'what failed': search({ status: 'failed' }),
  'what was delivered': search({ status: 'delivered' }),
  'a rare type': search({ type: 'campaign.sent' }),
  'a time': search({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }),
  'the journal of programs': (db) =>
    deliveryPage(db, workspaceId, webhookId, { max: 51, before: null }),
  'some entries': (db) => deliveriesOf(db, workspaceId, webhookId, hundred.map(eventId)),
  'an event': (db) => eventById(db, workspaceId, eventId(7)),
  health: (db) => webhookHealth(db, workspaceId, { days: 7, max: 1_000, troublesMax: 100 }),
  'count a replay': (db) => countRange(db, workspaceId, webhookId, range),
  replay: (db) => replayRange(db, workspaceId, webhookId, range),
  'replay selected entries': (db) => replayChosen(db, workspaceId, webhookId, hundred.map(eventId)),
  'count the journal by status': (db) =>
    countJournal(db, workspaceId, webhookId, {
      ...{ max: 501, filter: { ...any, from: '2020-01-01T00:00:00.000Z', type: 'email.sent' } },
    }),
  'webhooks due': (db) => webhooksDue(db, workspaceId),
  claim: (db) => claimDeliveries(db, workspaceId, [{ webhookId, since: null, max: 64 }], 90),
  record: (db) =>
    recordAttempts(db, workspaceId, hundred.map(attempt), { failingSeconds: 259_200 }),
}

const prepare = `
  insert into webhook (workspace_id, id, name, url, host, events, secret, created_at, updated_at)
  select 1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'x', 'https://x.example/', 'x.example', '{email.sent}', '', facteur_now(), facteur_now()
  from generate_series(1, 20) n`

/** Of the newest some are under way and some are due; a few failed now and then. */
const fill = [
  `insert into event (workspace_id, id, place, type, body, created_at)
   select 1, ('0199aa00-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n, 'email.sent', '{}', facteur_now() from generate_series(1, ${many}) n`,
  `insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, fence, is_leased, next_at, error, created_at, last_attempt_at)
   select 1, '${webhookId}', id, type,
     case when place > ${many - 200} then 'pending' when place % 997 = 0 then 'failed' else 'delivered' end, 1, 1,
     place > ${many - 100}, case when place > ${many - 200} then facteur_now() - interval '1 second' end,
     case when place % 997 = 0 then 'answered 500' end, created_at, created_at
   from event where workspace_id = 1`,
  `insert into due values (1, 'webhook', facteur_now())`,
]

export const webhooks: PlannedArea = {
  acts,
  answer: {
    eventId: eventId(many),
    status: 'delivered',
    type: 'email.sent',
    createdAt: new Date(),
  },
  rows: many,
  big: ['event', 'webhook_delivery'],
  // A search reads up to two thousand entries, a replay as many events, and health a thousand of
  // each kind.
  readMax: () => 3_000,
  prepare,
  fill,
}
