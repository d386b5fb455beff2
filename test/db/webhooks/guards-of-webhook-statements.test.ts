/**
 * A worker that lost its claim writes nothing: its fence is older than the delivery's
 * (docs/decisions/0017).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../../src/core/context.ts'
import { failingSeconds } from '../../../src/core/webhooks/delivery-rules.ts'
import { publishEvents } from '../../../src/core/events/publish-events.ts'
import { createRecordAttempt } from '../../../src/core/webhooks/record-attempt.ts'
import { breakStatements } from '../../../src/database/client/break-statements.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import {
  claimDeliveries,
  recordAttempts,
  type ClaimedDelivery,
} from '../../../src/db/webhooks/webhook-claims.ts'
import {
  beginReplay,
  insertTest,
  recordReplay,
  replayRange,
} from '../../../src/db/webhooks/webhook-journal.ts'
import { setDisablesFailing } from '../../../src/db/webhooks/webhooks.ts'
import { createDeliverWebhooks } from '../../../src/entrypoints/workers/deliver-webhooks.ts'
import { startApi } from '../../support/api.ts'
import { ask, textAt } from '../../support/ask.ts'
import { until } from '../../support/until.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'

const api = await startApi({ workers: false })
const { db } = api.service
const workspace = await api.workspace('fence')
let minutes = 0

async function addWebhook(url = 'https://receiver.example/'): Promise<string> {
  const body = { url, events: ['campaign.sent'] }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: workspace.key, body }), 'id')
}

const claim = async (webhookId: string) =>
  (await claimDeliveries(db, workspace.id, [{ webhookId, since: null, max: 1 }], 25)).claimed

/** One delivery of a webhook of its own, held by the caller. */
async function claimedOnce(url?: string): Promise<ClaimedDelivery> {
  const id = await addWebhook(url)
  await db.transaction((tx) =>
    publishEvents(tx, workspace.id, [{ type: 'campaign.sent', data: {} }]),
  )
  const [claimed] = await claim(id)
  assert.ok(claimed)
  return claimed
}

const leaseEnds = () => api.moveClock(`${(minutes += 1)} minutes`)

/** One delivery that was claimed, whose lease ended, and that was claimed again. */
async function claimedTwice(): Promise<[first: ClaimedDelivery, second: ClaimedDelivery]> {
  const first = await claimedOnce()
  assert.deepEqual(await claim(first.webhookId), [], 'while its lease lasts nobody else has it')
  await leaseEnds()
  const [second] = await claim(first.webhookId)
  assert.ok(second && second.eventId === first.eventId && second.fence > first.fence)
  return [first, second]
}

const record = (connection: Connection, claimed: ClaimedDelivery) => {
  const came = {
    outcome: 'delivered',
    status: 200,
    body: 'ok',
    error: null,
    durationMs: 1,
    sent: null,
  } as const
  return recordAttempts(connection, workspace.id, [{ ...claimed, ...came }], { failingSeconds: 1 })
}

const failed = {
  outcome: 'failed',
  status: 500,
  body: 'no',
  error: 'answered 500',
  durationMs: 1,
  sent: null,
} as const

const rowOf = async ({
  webhookId,
  eventId,
}: Pick<ClaimedDelivery, 'webhookId' | 'eventId'>): Promise<unknown> => {
  const [row] = await db.rows(sql`
    select * from webhook_delivery where workspace_id = ${workspace.id} and webhook_id = ${webhookId} and event_id = ${eventId}`)
  return row
}

test('an outcome that the first holder records after the delivery was claimed again changes nothing; the second holder ends it', async () => {
  const [first, second] = await claimedTwice()
  const before = await rowOf(second)
  await record(db, first)
  assert.deepEqual(await rowOf(second), before)
  await record(db, second)
  assert.partialDeepStrictEqual(await rowOf(second), { status: 'delivered', isLeased: false })
})

test('webhooks.fence:broken: without the fence the first holder ends the delivery of the second', async () => {
  const [first, second] = await claimedTwice()
  await record(breakStatements(db, { broken: (name) => name === 'webhooks.fence' }), first)
  assert.partialDeepStrictEqual(await rowOf(second), { status: 'delivered', isLeased: false })
})

test('an outcome that is recorded again, because the answer of the database was lost, counts once', async () => {
  const claimed = await claimedOnce()
  const fail = () =>
    recordAttempts(db, workspace.id, [{ ...claimed, ...failed }], { failingSeconds: 1 })
  await fail()
  const once = await rowOf(claimed)
  assert.partialDeepStrictEqual(once, { status: 'pending', failures: 1 })
  await fail()
  assert.deepEqual(await rowOf(claimed), once)
})

test('of two attempts that are recorded together one succeeds: the webhook does not fail', async () => {
  const first = await claimedOnce()
  await db.transaction((tx) =>
    publishEvents(tx, workspace.id, [{ type: 'campaign.sent', data: {} }]),
  )
  const [second] = await claim(first.webhookId)
  assert.ok(second)
  const came = {
    outcome: 'delivered',
    status: 200,
    body: 'ok',
    error: null,
    durationMs: 1,
    sent: null,
  } as const
  const attempts = [
    { ...first, ...came },
    { ...second, ...failed },
  ]
  await recordAttempts(db, workspace.id, attempts, { failingSeconds: 1 })
  const rows = await db.rows(sql`select failing_since from webhook where id = ${first.webhookId}`)
  assert.deepEqual(rows, [{ failingSince: null }])
})

test('a replay that arrives while a worker holds the delivery leaves the worker its lease, and ends the ladder', async () => {
  const claimed = await claimedOnce()
  const withheld = (await rowOf(claimed)) as { nextAt: Date }
  const started = await beginReplay(db, workspace.id, claimed)
  assert.ok(started)
  const came = {
    status: 200,
    body: 'ok',
    error: null,
    durationMs: 1,
    sent: null,
    isDelivered: true,
  } as const
  await recordReplay(db, workspace.id, { ...started, ...came, webhookId: claimed.webhookId })
  assert.partialDeepStrictEqual(await rowOf(claimed), {
    status: 'delivered',
    isLeased: true,
    nextAt: withheld.nextAt,
  })
  // The worker is lost: what a replay delivered is not sent once more.
  await leaseEnds()
  assert.deepEqual(await claim(claimed.webhookId), [])
  assert.partialDeepStrictEqual(await rowOf(claimed), {
    status: 'delivered',
    isLeased: false,
    nextAt: null,
    failures: 0,
  })
})

test('a replay of a range leaves alone the deliveries that a worker holds', async () => {
  const claimed = await claimedOnce()
  await db.count(
    sql`update webhook_delivery set status = 'delivered' where event_id = ${claimed.eventId}`,
  )
  const before = await rowOf(claimed)
  const range = {
    from: '2026-01-01T00:00:00Z',
    to: null,
    all: true,
    after: '00000000-0000-0000-0000-000000000000',
    max: 100,
  }
  await replayRange(db, workspace.id, claimed.webhookId, range)
  assert.deepEqual(await rowOf(claimed), before)
})

test('a test whose process was lost fails, and no worker sends it', async () => {
  const webhookId = await addWebhook()
  const { eventId } = await insertTest(db, workspace.id, {
    webhookId,
    type: 'campaign.sent',
    leaseSeconds: 25,
  })
  await leaseEnds()
  assert.deepEqual(await claim(webhookId), [])
  const error = 'the worker was lost during the attempt'
  assert.partialDeepStrictEqual(await rowOf({ webhookId, eventId }), {
    status: 'failed',
    nextAt: null,
    attempts: 1,
    error,
  })
})

test('a process that was stopped between its claim and its call does not call: the lease may end before the answer', async () => {
  const receiver = await startReceiver()
  const { webhookId, eventId } = await claimedOnce(receiver.url)
  await leaseEnds()
  // Each look at the clock comes eleven seconds after the one before: of the lease of 25 there is
  // less left than a call may take.
  let pollMs = 0
  const clock = { ...api.service.clock, monotonicMs: () => (pollMs += 11_000) }
  const service: Service = { ...api.service, clock }
  const deliveries = createDeliverWebhooks(service)
  await deliveries.turn(workspace.id, () => undefined)
  await deliveries.end(1_000)
  assert.equal(receiver.calls.length, 0)
  assert.partialDeepStrictEqual(await rowOf({ webhookId, eventId }), {
    status: 'pending',
    isLeased: false,
    attempts: 1,
    failures: 0,
  })
})

test('a claim of a webhook lasts longer than its call, however short leases are: a call that begins ten seconds late is made', async () => {
  const receiver = await startReceiver()
  const claimed = await claimedOnce(receiver.url)
  await leaseEnds()
  let nowMs = 0
  const leases: unknown[] = []
  const failpoints = {
    broken: () => false,
    hit: async (name: string) => {
      if (name !== 'webhook.after_claim') return
      nowMs += 10_000
      const [row] = await db.rows<{ seconds: number }>(sql`
        select round(extract(epoch from next_at - last_attempt_at))::int as seconds from webhook_delivery
        where webhook_id = ${claimed.webhookId} and event_id = ${claimed.eventId}`)
      leases.push(row?.seconds)
    },
  }
  const clock = { ...api.service.clock, monotonicMs: () => nowMs }
  const settings = { ...api.service.settings, leaseSeconds: 2 }
  const deliveries = createDeliverWebhooks({ ...api.service, clock, settings, failpoints })
  await deliveries.turn(workspace.id, () => undefined)
  await until(
    () => receiver.calls.length,
    (calls) => calls === 1,
  )
  await deliveries.end(1_000)
  assert.deepEqual(leases, [25])
})

test('the journal has the fifty newest attempts, of workers and of replays', async () => {
  const claimed = await claimedOnce()
  const attempts = async (): Promise<number[]> =>
    ((await rowOf(claimed)) as { attemptLog: { attempt: number }[] }).attemptLog.map(
      ({ attempt }) => attempt,
    )
  await db.count(sql`
    update webhook_delivery set attempts = 51,
      attempt_log = (select jsonb_agg(jsonb_build_object('attempt', n) order by n) from generate_series(1, 50) n)
    where event_id = ${claimed.eventId}`)
  await record(db, { ...claimed, attempt: 51 })
  assert.deepEqual([(await attempts()).length, ...(await attempts()).slice(-2)], [50, 50, 51])
  const started = await beginReplay(db, workspace.id, claimed)
  assert.ok(started)
  const came = {
    status: 500,
    body: 'no',
    error: 'answered 500',
    durationMs: 1,
    sent: null,
    isDelivered: false,
  } as const
  await recordReplay(db, workspace.id, { ...started, ...came, webhookId: claimed.webhookId })
  assert.deepEqual([(await attempts()).length, ...(await attempts()).slice(-2)], [50, 51, 52])
})

test('three days of failures disable a webhook where its workspace asked for that, and a new URL starts again', async () => {
  const failAfter = async (seconds: number): Promise<{ enabled: boolean; webhookId: string }> => {
    const claimed = await claimedOnce()
    const { webhookId } = claimed
    await db.count(sql`
      update webhook set failing_since = facteur_now() - make_interval(secs => ${seconds}) where id = ${webhookId}`)
    await createRecordAttempt(api.service)(workspace.id, { ...claimed, ...failed })
    const [row] = await db.rows<{ enabled: boolean }>(
      sql`select enabled from webhook where id = ${webhookId}`,
    )
    return { enabled: row?.enabled === true, webhookId }
  }
  assert.equal((await failAfter(failingSeconds + 60)).enabled, true)
  await setDisablesFailing(db, workspace.id, true)
  const { enabled, webhookId } = await failAfter(failingSeconds - 60)
  assert.equal(enabled, true)
  const change = (body: object) =>
    ask(api.baseUrl, `PATCH /api/v1/webhooks/${webhookId}`, { key: workspace.key, body })
  const since = () =>
    db.rows(sql`select failing_since is not null as fails from webhook where id = ${webhookId}`)
  await change({ name: 'still failing' })
  assert.deepEqual(await since(), [{ fails: true }])
  await change({ url: 'https://elsewhere.example/' })
  assert.deepEqual(await since(), [{ fails: false }])
  const lately = await failAfter(60)
  assert.equal((await failAfter(failingSeconds + 60)).enabled, false)
  assert.deepEqual(await db.rows(sql`select enabled from webhook where id = ${lately.webhookId}`), [
    { enabled: true },
  ])
})

test('a delivery whose worker is lost is claimed again twice; at the third loss it waits for the next rung', async () => {
  const claimed = await claimedOnce()
  for (const attempt of [2, 3]) {
    await leaseEnds()
    assert.deepEqual(
      (await claim(claimed.webhookId)).map((again) => again.attempt),
      [attempt],
    )
  }
  await leaseEnds()
  assert.deepEqual(await claim(claimed.webhookId), [])
  assert.partialDeepStrictEqual(await rowOf(claimed), {
    status: 'pending',
    isLeased: false,
    attempts: 3,
    losses: 3,
    failures: 1,
  })
})

/** A delivery that failed: its retries are used, and its worker was lost for the third time. */
async function failedDelivery(): Promise<ClaimedDelivery> {
  const claimed = await claimedOnce()
  await db.count(
    sql`update webhook_delivery set failures = 4, losses = 2 where event_id = ${claimed.eventId}`,
  )
  await leaseEnds()
  assert.deepEqual(await claim(claimed.webhookId), [])
  return claimed
}

test('a delivery without a retry left fails at the third loss of its worker', async () => {
  const error = 'the worker was lost during the attempt'
  assert.partialDeepStrictEqual(await rowOf(await failedDelivery()), {
    status: 'failed',
    isLeased: false,
    nextAt: null,
    error,
  })
})

test('a replay of a range begins the retries of a failed delivery again', async () => {
  const { webhookId, eventId } = await failedDelivery()
  const [{ from } = { from: '' }] = await db.rows<{ from: string }>(
    sql`select created_at::text as from from event where id = ${eventId}`,
  )
  const range = {
    from,
    to: null,
    all: false,
    after: '00000000-0000-0000-0000-000000000000',
    max: 100,
  }
  assert.equal((await replayRange(db, workspace.id, webhookId, range)).queued, 1)
  assert.partialDeepStrictEqual(await rowOf({ webhookId, eventId }), {
    status: 'pending',
    failures: 0,
    losses: 0,
  })
  assert.equal((await claim(webhookId)).length, 1)
})

test('a replay of a failed delivery that succeeds makes it delivered', async () => {
  const failedOne = await failedDelivery()
  const started = (await beginReplay(db, workspace.id, failedOne)) ?? assert.fail('no delivery')
  const came = {
    status: 200,
    body: 'ok',
    error: null,
    durationMs: 1,
    sent: null,
    isDelivered: true,
  } as const
  await recordReplay(db, workspace.id, { ...started, ...came, webhookId: failedOne.webhookId })
  assert.partialDeepStrictEqual(await rowOf(failedOne), { status: 'delivered', nextAt: null })
})
