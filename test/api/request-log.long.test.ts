/**
 * The log of calls: each call with a key of the workspace, of the API and of MCP, with what it
 * made; owners read it, and nothing that a caller sent is in it.
 */
import assert from 'node:assert/strict'
import { connect as connectTo } from 'node:net'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { maintainPartitions } from '../../src/db/retention/maintain-partitions.ts'
import { startApi } from '../support/api.ts'
import {
  ask,
  assertAnswered,
  assertRefused,
  textAt,
  type Answer,
  type Requested,
} from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf, message, post } from '../support/mcp.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints({ trustProxy: true }) })
const shop = await api.workspace('shop')
const slow = await api.workspace('slow', { ratePerMinute: 1 })
const owner = await signIn(api, { in: { [shop.id]: 'owner', [slow.id]: 'owner' } })

interface Entry {
  at: string
  operation: string | null
  mcp: boolean
  status: number
  code: string | null
  duration_ms: number
  request_id: string
  address: string
  key: { id: string; name: string }
  message_ids: string[]
  campaign_id: string | null
  calls: number
}

/** The log as an owner reads it, newest first. */
async function logged(query = ''): Promise<Entry[]> {
  await api.service.requestLog.flush()
  const answer = await owner.ask(`GET /workspaces/shop/api/v1/requests${query}`)
  assertAnswered(answer, 200)
  // The referee of `ask` has checked the form.
  return at(answer.body, 'data') as Entry[]
}

const call = (line: string, request: Requested = {}): Promise<Answer> =>
  ask(api.baseUrl, line, { key: shop.key, ...request })
const email = (more: object = {}) => ({
  body: {
    from: `hello@${shop.domain}`,
    to: 'ada@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
    ...more,
  },
})
const idOf = (answer: Answer): string => answer.headers.get('x-request-id') ?? ''
const entryOf = async (answer: Answer): Promise<Entry> => {
  const [entry, ...others] = await logged(`?request_id=${idOf(answer)}`)
  assert.ok(entry && others.length === 0)
  return entry
}

test('a sent message: operation, status, duration, key, address, and the message that it made', async () => {
  const beganMs = Date.now()
  const sent = await call('POST /api/v1/emails', {
    ...email(),
    headers: { 'x-forwarded-for': '203.0.113.9' },
  })
  const endedMs = Date.now()
  assertAnswered(sent, 202)
  const entry = await entryOf(sent)
  assert.partialDeepStrictEqual(entry, {
    ...{
      operation: 'sendEmail',
      mcp: false,
      status: 202,
      code: null,
      address: '203.0.113.9',
      calls: 1,
      campaign_id: null,
    },
    message_ids: [textAt(sent, 'id')],
  })
  assert.equal(entry.key.name, 'test')
  assert.ok(entry.duration_ms > 0)
  // The message came to be during the call.
  const created = await api.service.db.value<Date>(
    sql`select created_at from message where id = ${textAt(sent, 'id')}`,
  )
  for (const ms of [Date.parse(entry.at), Number(created)])
    assert.ok(ms >= beganMs && ms <= endedMs, `${ms - beganMs} ms`)
  assert.deepEqual(await logged(`?message=${textAt(sent, 'id')}`), [entry])
})

test('each message of a batch leads to its call, and so does a repeated call with the same Idempotency-Key', async () => {
  const batch = {
    body: [1, 2, 3].map((each) => email({ to: `b${each}@example.com` }).body),
    headers: { 'idempotency-key': 'b' },
  }
  const answers = [
    await call('POST /api/v1/emails/batch', batch),
    await call('POST /api/v1/emails/batch', batch),
  ]
  const ids = [0, 1, 2].map((index) => textAt(answers[0] as Answer, 'data', String(index), 'id'))
  for (const id of ids) {
    const result = await logged(`?message=${id}`)
    assert.deepEqual(
      result.map(({ request_id: each }) => each).toSorted(),
      answers.map(idOf).toSorted(),
    )
    assert.deepEqual(result[0]?.message_ids, ids)
  }
})

test('a campaign that was created and sent: both calls lead to it', async () => {
  const created = await call('POST /api/v1/campaigns', {
    body: { name: 'News', subject: 'News', text: 'News' },
  })
  assertAnswered(created, 201)
  await call('POST /api/v1/subscribers', {
    body: { email: 'reader@example.com', double_opt_in: false },
  })
  const sent = await call(`POST /api/v1/campaigns/${textAt(created, 'id')}/send`)
  assertAnswered(sent, 202)
  for (const answer of [created, sent])
    assert.equal((await entryOf(answer)).campaign_id, textAt(created, 'id'))
  await call('POST /api/v1/campaigns', { body: { name: 'Other', subject: 'Other', text: 'Other' } })
  const result = await logged(`?campaign=${textAt(created, 'id')}`)
  assert.deepEqual(
    result.map(({ request_id: id }) => id),
    [idOf(sent), idOf(created)],
  )
  assert.equal((await entryOf(sent)).operation, 'sendCampaign')
})

test('a message that the provider refused: the call leads to it', async () => {
  const refused = await call('POST /api/v1/emails', email({ to: 'refused@simulator.test' }))
  assertRefused(refused, 'send_failed')
  assert.deepEqual((await entryOf(refused)).message_ids, [
    textAt(refused, 'error', 'details', 'id'),
  ])
})

test('refusals with their codes: 422, 403, 404 of an unknown address, 401 of a revoked key, 429', async () => {
  const reader = await shop.makeKey(['subscribers:read'])
  const revoked = await shop.makeKey(['emails:send'])
  await shop.revokeKey(revoked)
  const refusals = [
    [await call('POST /api/v1/emails', email({ to: 'nobody' })), 'sendEmail', 'validation_error'],
    [
      await call('POST /api/v1/emails', { key: reader, ...email() }),
      'sendEmail',
      'insufficient_scope',
    ],
    [await call('GET /api/v1/nothing'), null, 'not_found'],
    [await call('GET /api/v1/me', { key: revoked }), 'getAccount', 'revoked_api_key'],
  ] as const
  for (const [answer, operation, code] of refusals) {
    assertRefused(answer, code)
    assert.partialDeepStrictEqual(await entryOf(answer), { operation, code, status: answer.status })
  }
  const tooFast = [
    await call('GET /api/v1/me', { key: slow.key }),
    await call('GET /api/v1/me', { key: slow.key }),
  ]
  await api.service.requestLog.flush()
  const { body } = await owner.ask('GET /workspaces/slow/api/v1/requests?status=refused')
  assert.partialDeepStrictEqual(at(body, 'data'), [
    { code: 'rate_limit_exceeded', status: 429, request_id: idOf(tooFast[1] as Answer) },
  ])
  const codes = new Set((await logged('?status=refused')).map(({ code }) => code))
  for (const [, , code] of refusals) assert.ok(codes.has(code), code)
  assert.ok((await logged('?status=succeeded')).every(({ status }) => status < 400))
  assert.ok((await logged('?code=not_found&operation=sendEmail')).length === 0)
})

test('600 refusals of one key in about a second: each has its own row, and is found by its request id', async () => {
  const before =
    (await api.service.db.value<number>(
      sql`select count(*)::int from request_log where status = 422`,
    )) ?? 0
  const refuse = async (): Promise<Answer[]> => {
    const mine: Answer[] = []
    for (let each = 0; each < 600 / 12; each++)
      mine.push(await call('POST /api/v1/emails', { body: {} }))
    return mine
  }
  const answers = (await Promise.all(Array.from({ length: 12 }, refuse))).flat()
  for (const answer of answers) assert.equal(answer.status, 422)
  await api.service.requestLog.flush()
  const rows = await api.service.db.rows<{ requestId: string; calls: number }>(sql`
    select request_id, calls from request_log where status = 422 order by id desc limit 600`)
  assert.deepEqual(new Set(rows.map(({ requestId }) => requestId)), new Set(answers.map(idOf)))
  assert.ok(rows.every(({ calls }) => calls === 1))
  assert.equal(
    await api.service.db.value(sql`select count(*)::int from request_log where status = 422`),
    before + 600,
  )
})

test('calls without a key of a workspace belong to none: 401 of a missing and of an unknown key are not logged', async () => {
  const strangers = [
    await ask(api.baseUrl, 'GET /api/v1/me'),
    await call('GET /api/v1/me', { key: api.unknownKey(shop) }),
    await ask(api.baseUrl, 'GET /api/v1'),
  ]
  for (const answer of strangers) assert.deepEqual(await logged(`?request_id=${idOf(answer)}`), [])
})

for (const [line, operation] of [
  ['POST /api/v1/emails', 'sendEmail'],
  ['POST /api/mcp', null],
] as const)
  test(`${line}: a caller who leaves before the body is whole is logged once, as 499`, async () => {
    const socket = connectTo(Number(new URL(api.baseUrl).port), '127.0.0.1')
    const id = `left-early-${operation}`
    const head = [
      `${line} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${shop.key}`,
      `X-Request-Id: ${id}`,
    ]
    socket.write(
      [
        ...head,
        'Content-Type: application/json',
        'Content-Length: 100',
        'Expect: 100-continue',
        '',
        '',
      ].join('\r\n'),
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    const [entry, ...others] = await until(
      () => logged(`?request_id=${id}`),
      (result) => result.length > 0,
    )
    assert.partialDeepStrictEqual(entry, {
      operation,
      mcp: operation === null,
      status: 499,
      code: null,
    })
    assert.equal(others.length, 0)
  })

test('MCP: a tool is logged by its operation and marked, other messages without one, each of a batch by itself', async () => {
  const client = clientOf(api.baseUrl, shop.key)
  const tool = await client.call('send_email', email().body)
  assert.partialDeepStrictEqual(await logged(`?message=${String(at(tool.body, 'id'))}`), [
    { operation: 'sendEmail', mcp: true, status: 202 },
  ])
  await client.request('tools/call', { name: 'nothing', arguments: {} })
  assert.partialDeepStrictEqual(await logged('?status=refused&limit=1'), [
    { operation: null, mcp: true, status: 400, code: null },
  ])
  const refused = await client.call('send_email', email({ to: 'nobody' }).body)
  assert.equal(refused.isError, true)
  const [entry] = await logged('?code=validation_error')
  assert.partialDeepStrictEqual(entry, { operation: 'sendEmail', mcp: true, status: 422 })
  for (const [body, count] of [
    [message('tools/list'), 1],
    ['{', 1],
    [`[${message('ping')},${message('tools/call', { name: 'get_account' }, 2)}]`, 2],
  ] as const) {
    const headers = { 'mcp-protocol-version': '2025-03-26' }
    const { headers: answered } = await post(api.baseUrl, body, { key: shop.key, headers })
    const result = await logged(`?request_id=${answered.get('x-request-id')}`)
    assert.equal(result.length, count, body)
    assert.ok(result.every(({ mcp }) => mcp))
    assert.equal(result.filter(({ operation }) => operation === 'getAccount').length, count - 1)
  }
})

test('a page continues where the one before ended, and each filter narrows it', async () => {
  const other = await shop.makeKey(['emails:send'])
  const answers: Answer[] = []
  for (let each = 0; each < 3; each++)
    answers.push(await call('GET /api/v1/emails', { key: other }))
  const { key } = await entryOf(answers[0] as Answer)
  const own = `/workspaces/shop/api/v1/requests?key=${key.id}&operation=listEmails&limit=2`
  const first = await owner.ask(`GET ${own}`)
  const second = await owner.ask(`GET ${own}&cursor=${textAt(first, 'next_cursor')}`)
  const result = [first, second]
    .flatMap(({ body }) => at(body, 'data') as Entry[])
    .map((entry) => entry.request_id)
  assert.deepEqual(result, answers.map(idOf).toReversed())
  assert.equal(at(second.body, 'has_more'), false)
  const times = (await logged(`?key=${key.id}`)).map(({ at: time }) => time)
  assert.equal(
    (await logged(`?key=${key.id}&from=${times[1]}&to=${times[0]}`)).length,
    times[0] === times[1] ? 0 : 1,
  )
  assertRefused(await owner.ask(`GET ${own}&cursor=none`), 'validation_error', { path: 'cursor' })
  assertRefused(
    await owner.ask('GET /workspaces/shop/api/v1/requests?from=today'),
    'validation_error',
    { path: 'from' },
  )
})

test('rare matches among many calls take several pages, and the answer says where the search stopped', async () => {
  const hourAgo = Date.now() - 3_600_000
  await api.run(`insert into request_log (workspace_id, id, key_id, operation, mcp, status, duration_us, request_id, address, calls)
    select ${shop.id}, (lpad(to_hex(${hourAgo} + n), 12, '0') || '70008000000000000000')::uuid, '00000000-0000-7000-8000-000000000000',
      case when n = 1 then 'getEmail' else 'listEmails' end, false, 200, 1, 'many', '::1', 1
    from generate_series(1, 6000) n`)
  const ours = `/workspaces/shop/api/v1/requests?to=${new Date(hourAgo + 10_000).toISOString()}&operation=getEmail`
  const first = await owner.ask(`GET ${ours}`)
  assert.deepEqual([at(first.body, 'data'), at(first.body, 'has_more')], [[], true])
  const second = await owner.ask(`GET ${ours}&cursor=${textAt(first, 'next_cursor')}`)
  assert.deepEqual([at(second.body, 'data', 'length'), at(second.body, 'has_more')], [1, false])
  await api.run(`delete from request_log where request_id = 'many'`)
})

test('owners of the workspace alone read it', async () => {
  const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
  assertRefused(await editor.ask('GET /workspaces/shop/api/v1/requests'), 'insufficient_role')
  const rival = await api.workspace('rival')
  const stranger = await signIn(api, { in: { [rival.id]: 'owner' } })
  assertRefused(await stranger.ask('GET /workspaces/shop/api/v1/requests'), 'not_found')
  const observed = await stranger.ask('GET /workspaces/rival/api/v1/requests')
  assert.deepEqual(at(observed.body, 'data'), [])
})

test('no row holds what a caller sent: bodies, headers, addresses of contacts, parameters, keys', async () => {
  const canary = 'canary'
  const headers = {
    'x-canary': canary,
    'user-agent': canary,
    cookie: `a=${canary}`,
    'idempotency-key': canary,
  }
  await call('POST /api/v1/emails', {
    headers,
    ...email({ to: `${canary}@example.com`, subject: canary, text: canary, html: canary }),
  })
  await call('POST /api/v1/emails', {
    headers,
    ...email({ to: canary, tags: { [canary]: canary } }),
  })
  await call(`GET /api/v1/subscribers/${canary}%40example.com`, { headers })
  await call(`GET /api/v1/${canary}?${canary}=${canary}`, { headers })
  await call(`GET /api/v1/subscribers?q=${canary}`, { headers })
  await call('POST /api/v1/subscribers', { headers, raw: `{"${canary}` })
  await clientOf(api.baseUrl, shop.key).request(canary, { name: canary }, headers)
  await clientOf(api.baseUrl, shop.key).request(
    'tools/call',
    { name: canary, arguments: { canary } },
    headers,
  )
  const newest = await logged('?limit=8')
  assert.equal(newest.length, 8)
  const rows = await api.service.db.column<string>(sql`select l::text from request_log l`)
  assert.ok(rows.length > 8)
  for (const secret of [canary, shop.key, shop.key.slice(-12), 'ada@example.com', 'Bonjour']) {
    assert.deepEqual(
      rows.filter((row) => row.includes(secret)),
      [],
      `the log holds ${secret}`,
    )
  }
})

test('a key in the identifier of a request, in its path, its program or its address is not stored', async () => {
  const { key } = shop
  const headers = {
    'x-request-id': `mine-${key}`,
    'user-agent': key,
    'x-forwarded-for': key,
    'idempotency-key': key,
  }
  const answers = [
    await call(`GET /api/v1/emails/${key}`, { headers }),
    await call(`GET /api/v1/${key}?${key}=${key}`, { headers }),
    await call('POST /api/v1/emails', { headers, ...email() }),
  ]
  await clientOf(api.baseUrl, key).request(
    'tools/call',
    { name: key, arguments: { [key]: key } },
    headers,
  )
  for (const answer of answers) {
    assert.match(idOf(answer), /^[0-9a-f-]{36}$/)
    assert.equal((await entryOf(answer)).address, '')
  }
  const rows = await api.service.db.column<string>(sql`select l::text from request_log l`)
  assert.deepEqual(
    rows.filter((row) => row.includes('fct_') || row.includes(key.slice(-12))),
    [],
  )
})

test('calls that have expired are not listed, also before their day is dropped', async () => {
  const id = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
  const rowAt = (days: number, requestId: string) =>
    api.run(`insert into request_log (workspace_id, id, key_id, operation, mcp, status, duration_us, request_id, address, calls, message_id)
      values (${shop.id}, (lpad(to_hex(${Date.now() - days * 86_400_000}), 12, '0') || '70008000000000000000')::uuid,
        '00000000-0000-7000-8000-000000000000', 'sendEmail', false, 202, 1, '${requestId}', '::1', 1, '${id}')`)
  await rowAt(8, 'expired')
  await rowAt(6, 'stored')
  for (const query of [
    `?message=${id}`,
    '?operation=sendEmail&key=00000000-0000-7000-8000-000000000000',
  ])
    assert.deepEqual(
      (await logged(query)).map((entry) => entry.request_id),
      ['stored'],
      query,
    )
  assert.deepEqual(await logged('?request_id=expired'), [])
  await api.run(`delete from request_log where message_id = '${id}'`)
})

test('a day of calls is a partition, and goes with it after a week', async () => {
  const { service } = api
  const parts = () =>
    service.db.column<string>(
      sql`select distinct tableoid::regclass::text from request_log where workspace_id = ${shop.id}`,
    )
  await maintainPartitions(service)
  await call('GET /api/v1/me')
  await service.requestLog.flush()
  assert.ok((await parts()).every((name) => /^(?:cell_2\.)?request_log_(?:to_)?\d{8}/.test(name)))
  await api.moveClock('9 days')
  await maintainPartitions(service)
  assert.deepEqual(await parts(), [])
})
