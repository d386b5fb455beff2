/**
 * The audit log, the calls of the API and the journal of a webhook as members look through them:
 * filters, counts up to a limit, files and replays of selected rows; of their own workspace alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { insertAuditEntries } from '../../src/db/audit/audit-entries.ts'
import { insertRequests } from '../../src/db/workspaces/request-log.ts'
import { firstIdAt } from '../../src/ground/ids.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const owner = await signIn(api, { email: 'ada@people.test', in: { [shop.id]: 'owner' } })
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const here = '/workspaces/shop/api/v1'
const there = '/workspaces/other/api/v1'

const hour = 3_600_000
const now = Date.now()
/** So many hours ago. */
const idAt = (hours: number, number = 0): string =>
  firstIdAt(now - hours * hour).slice(0, -4) + String(number).padStart(4, '0')
const timeAt = (hours: number): string =>
  encodeURIComponent(new Date(now - hours * hour).toISOString())

const entry = (hours: number, act: string, who: string) => ({
  ...{ id: idAt(hours), userId: null, who, act, subject: 'a "name"', ip: null },
  details: JSON.stringify({ reason: 'because' }),
})
await insertAuditEntries(db, shop.id, [
  entry(30, 'key.created', 'ada@people.test'),
  entry(20, 'key.revoked', 'bea@people.test'),
  entry(10, 'key.created', 'bea@people.test'),
])
await insertAuditEntries(db, other.id, [entry(10, 'key.created', 'eve@people.test')])

test('200: the audit log by days, and how many entries match; of this workspace alone', async () => {
  const list = async (query: string): Promise<string[]> =>
    (at((await owner.ask(`GET ${here}/audit?${query}`)).body, 'data') as unknown[]).map((line) =>
      String(at(line, 'id')),
    )
  assert.deepEqual(await list(`from=${timeAt(25)}&to=${timeAt(5)}`), [idAt(10), idAt(20)])
  assert.deepEqual(await list(`to=${timeAt(15)}&act=key.created`), [idAt(30)])
  const count = async (query: string) => (await owner.ask(`GET ${here}/audit/count?${query}`)).body
  const counted = (number: number) => ({ object: 'audit_count', count: number, more: false })
  assert.deepEqual(await count(`to=${timeAt(5)}`), counted(3))
  assert.deepEqual(await count(`from=${timeAt(25)}&to=${timeAt(5)}`), counted(2))
  assert.deepEqual(await count(`act=key.created&who=BEA@`), counted(1))
  assertAnswered(await stranger.ask(`GET ${there}/audit/count?act=key.created`), 200, { count: 1 })
})

test('403, 404, 422: the audit log to others than owners, and by what it does not have', async () => {
  for (const path of ['audit/count', 'audit/export']) {
    assertRefused(await editor.ask(`GET ${here}/${path}`), 'insufficient_role')
    assertRefused(await stranger.ask(`GET ${here}/${path}`), 'not_found')
    assertRefused(await owner.ask(`GET ${here}/${path}?act=x`), 'validation_error', { path: 'act' })
    assertRefused(await owner.ask(`GET ${here}/${path}?to=x`), 'validation_error', { path: 'to' })
  }
  assertRefused(await owner.ask(`GET ${here}/audit?from=x`), 'validation_error', { path: 'from' })
  assertRefused(await owner.ask(`GET ${here}/audit/export?format=xml`), 'validation_error', {
    path: 'format',
  })
})

test('200: the file of the audit log has all that match, as CSV and as JSON; the log names its reader', async () => {
  const file = async (query: string): Promise<string> => {
    const { cookie } = owner
    return (
      await fetch(`${api.baseUrl}${here}/audit/export?${query}`, { headers: { cookie } })
    ).text()
  }
  const upTo = `to=${timeAt(5)}`
  const lines = (await file(`${upTo}&who=bea`)).split('\r\n')
  assert.equal(lines[0], 'at,who,act,subject,details,ip,id')
  assert.match(lines[1] ?? '', /,bea@people\.test,key\.created,"a ""name""","\{""reason"":/)
  assert.equal(lines.length, 4)
  const read = JSON.parse(await file(`${upTo}&format=json&act=key.created`)) as object[]
  assert.deepEqual(
    read.map((line) => [at(line, 'id'), at(line, 'details')]),
    [10, 30].map((hours) => [idAt(hours), { reason: 'because' }]),
  )
  assert.deepEqual(JSON.parse(await file('format=json&who=nobody')), [])
  assertAnswered(await owner.ask(`GET ${here}/audit?act=audit.exported&limit=1`), 200, {
    data: [{ who: 'ada@people.test', details: { format: 'json', only: null, searched: true } }],
  })
})

const keyOfShop = await db.onlyValue<string>(
  sql`select id from api_key where workspace_id = ${shop.id} limit 1`,
)
const call = (number: number, status: number, operation: string) => ({
  ...{ id: idAt(2, number), keyId: keyOfShop, operation, mcp: false, status, durationUs: 10 },
  ...{ code: status >= 400 ? 'validation_error' : null, requestId: `req-${number}`, calls: 1 },
  ...{ address: '127.0.0.1', messageIds: [], campaignId: null },
})
await insertRequests(db, shop.id, [
  ...[1, 2, 3].map((number) => call(number, 200, 'sendEmail')),
  ...[4, 5].map((number) => call(number, 422, 'sendEmail')),
  call(6, 500, 'listEmails'),
])
const yesterday = `to=${timeAt(1)}`

test('200: the calls of the API are searched by operation or key, and counted by result', async () => {
  const none = { count: 0, more: false }
  const count = async (query: string) =>
    (await owner.ask(`GET ${here}/requests/count?${yesterday}&${query}`)).body
  assert.deepEqual(await count(''), {
    ...{ object: 'request_count', count: 6, more: false },
    statuses: {
      succeeded: { count: 3, more: false },
      refused: { count: 2, more: false },
      failed: { count: 1, more: false },
    },
  })
  assert.partialDeepStrictEqual(await count('q=LISTEM'), { count: 1, statuses: { refused: none } })
  assert.partialDeepStrictEqual(await count('q=test'), { count: 6 })
  assert.partialDeepStrictEqual(await count('q=%2Fapi%2Fv1%2Femails'), { count: 6 })
  assert.partialDeepStrictEqual(await count('q=Req-6'), { count: 1 })
  assert.partialDeepStrictEqual(await count('request_id=req-4'), { count: 1 })
  assert.partialDeepStrictEqual(await count(`from=${timeAt(1.5)}`), { count: 0 })
  const list = await owner.ask(`GET ${here}/requests?${yesterday}&q=list`)
  assertAnswered(list, 200, { data: [{ operation: 'listEmails' }], has_more: false })
  assertAnswered(await owner.ask(`GET ${here}/requests?q=nothing`), 200, { data: [] })
  assertAnswered(await stranger.ask(`GET ${there}/requests/count?${yesterday}`), 200, { count: 0 })
  assertRefused(await editor.ask(`GET ${here}/requests/count`), 'insufficient_role')
  assertRefused(await owner.ask(`GET ${here}/requests/count?code=x`), 'validation_error')
})

test('200: more calls than are counted are said to be more, and failed ones have their own count', async () => {
  const big = await api.workspace('big')
  const reader = await signIn(api, { in: { [big.id]: 'owner' } })
  await db.count(sql`
    insert into request_log (workspace_id, id, key_id, operation, mcp, status, duration_us, request_id, address, calls)
    select ${big.id}, (left(${idAt(2)}, 24) || lpad(n::text, 12, '0'))::uuid, ${keyOfShop}, 'sendEmail', false,
      case when n = 1 then 500 else 200 end, 1, 'r', '127.0.0.1', 1
    from generate_series(1, 10002) n`)
  assertAnswered(await reader.ask('GET /workspaces/big/api/v1/requests/count'), 200, {
    ...{ count: 10_000, more: true },
    statuses: { failed: { count: 1, more: false }, succeeded: { count: 10_000, more: true } },
  })
})

test('a journal is counted by status; selected deliveries go out again, of this webhook alone', async () => {
  const receiver = await startReceiver()
  const webhookOf = async (key: string): Promise<string> =>
    textAt(
      await ask(api.baseUrl, 'POST /api/v1/webhooks', {
        key,
        body: { url: receiver.url, events: ['subscriber.created'] },
      }),
      'id',
    )
  const [webhook, foreign] = [await webhookOf(shop.key), await webhookOf(other.key)]
  const base = `${here}/webhooks/${webhook}/journal`
  for (const number of [1, 2, 3])
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email: `p${number}@example.com`, double_opt_in: false },
    })
  const count = async () => (await viewer.ask(`GET ${base}/count`)).body
  const all = await until(count, (body) => at(body, 'statuses', 'delivered', 'count') === 3)
  assert.partialDeepStrictEqual(all, { count: 3, statuses: { pending: { count: 0, more: false } } })
  assertAnswered(await viewer.ask(`GET ${base}/count?type=email.sent`), 200, { count: 0 })
  assertAnswered(await viewer.ask(`GET ${base}/count?to=${timeAt(1)}`), 200, { count: 0 })
  assertRefused(await viewer.ask(`GET ${base}/count?type=x`), 'validation_error')
  assertRefused(await stranger.ask(`GET ${base}/count`), 'not_found')
  assertRefused(await stranger.ask(`GET ${there}/webhooks/${webhook}/journal/count`), 'not_found')

  const ids = (at((await viewer.ask(`GET ${base}`)).body, 'data') as unknown[]).map((line) =>
    String(at(line, 'id')),
  )
  const replay = (body: object, who = editor, path = base) =>
    who.ask(`POST ${path}/replay`, { body })
  assertRefused(await replay({ ids }, viewer), 'insufficient_role')
  assertRefused(await replay({ ids }, stranger), 'not_found')
  assertRefused(await replay({ ids: [] }), 'validation_error', { path: 'ids' })
  assertRefused(await replay({ ids: ['x'] }), 'validation_error', { path: 'ids.0' })
  const tooMany = Array.from({ length: 501 }, () => ids[0])
  assertRefused(await replay({ ids: tooMany }), 'validation_error', { path: 'ids', limit: 500 })
  assertAnswered(await replay({ ids }, stranger, `${there}/webhooks/${foreign}/journal`), 200, {
    queued: 0,
    left_out: 3,
  })
  const calls = receiver.calls.length
  const mine = [ids[0], ids[1], ids[0], idAt(1)]
  assertAnswered(await replay({ ids: mine }), 200, { queued: 2, left_out: 1 })
  await receiver.received(calls + 2)
  assertAnswered(await replay({ ids: [ids[2]] }), 200, { queued: 1, left_out: 0 })
  await receiver.received(calls + 3)
})
