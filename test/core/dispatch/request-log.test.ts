/**
 * How calls come into their log: beyond a rate some stand for all, a database that is away delays
 * no call, and memory has a bound.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import type { WorkspaceCall } from '../../../src/core/context.ts'
import { createRequestLog, createSampler } from '../../../src/core/dispatch/request-log.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Log } from '../../../src/ground/log.ts'
import { freshDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const { connection } = await freshDatabase()
const wrong: string[] = []
const silent = (): void => undefined
const log: Log = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (_, text) => void wrong.push(text),
}
const parts = { countingDb: connection, clock: systemClock, log }

const call = (more: Partial<WorkspaceCall> = {}): WorkspaceCall => ({
  ...{
    workspaceId: 1,
    keyId: '00000000-0000-7000-8000-000000000001',
    operation: 'sendEmail',
    mcp: false,
    status: 202,
    code: null,
  },
  ...{
    durationUs: 1,
    requestId: 'a',
    address: '::1',
    messageIds: [],
    campaignId: null,
    atMs: Date.now(),
  },
  ...more,
})
const refused = (status: number, code: string): WorkspaceCall => call({ status, code })

/** How many calls each stored row stands for; `perSecond` calls arrive in each of `seconds`. */
function sampled(limit: number, perSecond: number, seconds: number, what = call()): number[] {
  const stored: number[] = []
  const sampler = createSampler(limit, (_, calls) => stored.push(calls))
  for (let each = 0; each < perSecond * seconds; each++)
    sampler.take(what, (each / perSecond) * 1000)
  sampler.endIdle(Infinity)
  return stored
}
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

test('below the rate every call is stored; above it some stand for all, evenly, and the sum is exact', () => {
  assert.deepEqual(sampled(50, 50, 3), Array(150).fill(1))
  const stored = sampled(50, 5_000, 10)
  assert.equal(sum(stored), 50_000)
  // The first second learns the rate.
  assert.ok(stored.length > 9 * 50 && stored.length < 15 * 50, String(stored.length))
  assert.deepEqual([...new Set(stored.slice(-200, -1))], [100])
  assert.equal(sum(sampled(50, 77, 7)), 539)
})

test('0 stores refused calls alone', () => {
  assert.deepEqual(sampled(0, 10, 2), [])
  assert.deepEqual(sampled(0, 10, 2, refused(422, 'validation_error')), Array(20).fill(1))
})

test('refusals and failures within the rate of a key are stored, each of them, however fast they come', () => {
  for (const [status, code] of [
    [422, 'validation_error'],
    [404, 'not_found'],
    [403, 'reputation_blocked'],
    [503, 'internal_error'],
  ] as const)
    assert.deepEqual(sampled(1, 5_000, 3, refused(status, code)), Array(15_000).fill(1), code)
})

test('refusals that cost their caller nothing: 600 a minute, each of them, however fast; beyond, one a second stands for the others', () => {
  for (const [status, code] of [
    [429, 'rate_limit_exceeded'],
    [403, 'insufficient_scope'],
    [401, 'revoked_api_key'],
  ] as const)
    assert.deepEqual(sampled(1, 600, 1, refused(status, code)), Array(600).fill(1), code)
  assert.deepEqual(sampled(50, 9, 150, refused(429, 'rate_limit_exceeded')), Array(1_350).fill(1))
  const flood = sampled(50, 3_000, 50, refused(429, 'rate_limit_exceeded'))
  assert.equal(sum(flood), 150_000)
  assert.deepEqual(flood.slice(0, 600), Array(600).fill(1))
  assert.ok(flood.length >= 600 && flood.length < 700, String(flood.length))
})

test('calls of another key, operation or code have a rate of their own', () => {
  const remaining: WorkspaceCall[] = []
  const sampler = createSampler(1, (stored) => remaining.push(stored))
  for (let each = 0; each < 1_000; each++) sampler.take(call(), each)
  for (const other of [
    call({ keyId: 'b' }),
    call({ operation: 'getEmail' }),
    refused(422, 'validation_error'),
  ]) {
    sampler.take(other, 999)
    assert.equal(remaining.at(-1), other)
  }
})

test('beyond the bound of the memory every waiting success goes before a refusal', async () => {
  const requestLog = createRequestLog(parts, 1_000_000)
  for (let each = 0; each < 19_500; each++)
    requestLog.record({ ...refused(422, 'validation_error'), workspaceId: 5 })
  for (let each = 0; each < 501; each++) requestLog.record(call({ workspaceId: 5 }))
  await requestLog.flush()
  assert.deepEqual(requestLog.counts(), { stored: 19_001, sampled: 0, dropped: 1_000 })
  assert.equal(
    await connection.value(sql`select 1 from request_log where workspace_id = 5 and status < 400`),
    null,
  )
})

test('rows are written behind the calls, and at the stop', async () => {
  const requestLog = createRequestLog(parts, 1_000)
  requestLog.record(call({ requestId: 'behind' }))
  const stored = (id: string) =>
    connection.value(
      sql`select calls from request_log where workspace_id = 1 and request_id = ${id}`,
    )
  assert.equal(await stored('behind'), null)
  await until(() => stored('behind'))
  requestLog.record(call({ requestId: 'stop' }))
  await requestLog.flush()
  assert.equal(await stored('stop'), 1)
  assert.deepEqual(requestLog.counts(), { stored: 2, sampled: 0, dropped: 0 })
})

test('a table that does not answer delays no call: rows wait up to a bound, the oldest successes go, and each is counted', async () => {
  const requestLog = createRequestLog(parts, 1_000_000)
  const flushed = await connection.transaction(async (tx) => {
    await tx.count(sql`lock table request_log in access exclusive mode`)
    requestLog.record({ ...refused(422, 'validation_error'), workspaceId: 2, requestId: 'refused' })
    for (let each = 0; each < 25_000; each++)
      requestLog.record(call({ workspaceId: 2, requestId: `row-${each}` }))
    const writing = requestLog.flush()
    await until(() =>
      connection.value(
        sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%request_log%'`,
      ),
    )
    requestLog.record(call({ workspaceId: 2, requestId: 'last' }))
    return { writing }
  })
  await flushed.writing
  await requestLog.flush()
  const { stored, dropped, sampled: skipped } = requestLog.counts()
  assert.equal(stored + dropped + skipped, 25_002)
  assert.ok(dropped > 4_000 && dropped < 7_000, String(dropped))
  const rows = await connection.column<string>(
    sql`select request_id from request_log where workspace_id = 2`,
  )
  assert.equal(rows.length, stored)
  assert.ok(rows.includes('last') && rows.includes('refused') && !rows.includes('row-0'))
  assert.deepEqual(wrong, [])
})

test('a row that can never be written is reported and dropped; the others of its group are stored', async () => {
  const requestLog = createRequestLog(parts, 1_000)
  for (let each = 0; each < 20; each++)
    requestLog.record(
      call({
        workspaceId: 3,
        requestId: `beside-${each}`,
        ...(each === 7 && { campaignId: 'no uuid' }),
      }),
    )
  requestLog.record(call({ workspaceId: 4 }))
  await requestLog.flush()
  assert.deepEqual(requestLog.counts(), { stored: 20, sampled: 0, dropped: 1 })
  const rows = await connection.column<string>(
    sql`select request_id from request_log where workspace_id = 3`,
  )
  assert.deepEqual([rows.length, rows.includes('beside-7')], [19, false])
  assert.equal(wrong.length, 1)
})
