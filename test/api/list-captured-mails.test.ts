/**
 * GET /api/v1/captured: what a test of somebody else's product reads and waits for, and what no key
 * ever does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { limits } from '../../src/contract/limits.ts'
import type { WakeUp } from '../../src/db/sending/due.ts'
import { createCaptureWaits } from '../../src/core/capture-waits.ts'
import { admitNotice } from '../../src/core/notices/admit-notice.ts'
import { createService } from '../../src/main/create-service.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import {
  addSubscribers,
  draftOf,
  send as sendCampaign,
  untilSent,
} from '../support/campaign-world.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'
import { onlyProvider } from '../support/only-provider.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const { service } = api
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const reader = await acme.makeKey(['captured:read'])

interface Mail {
  id: string
  recipient: string
  subject: string
}
interface List {
  data: Mail[]
  has_more: boolean
  next_cursor: string
  cursor: string
}

const read = (query: Record<string, string | number> = {}, key = reader): Promise<Answer> => {
  const requested = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return ask(api.baseUrl, `GET /api/v1/captured?${requested.toString()}`, { key })
}
const listBy = async (key: string, query: Record<string, string | number> = {}): Promise<List> => {
  const answer = await read(query, key)
  assertAnswered(answer, 200)
  return answer.body as List
}
const listed = (query: Record<string, string | number> = {}): Promise<List> => listBy(reader, query)
const recipients = ({ data }: List): string[] => data.map(({ recipient }) => recipient)

async function mail(to: string, subject = 'Hello', from = acme): Promise<void> {
  const body = { from: `hello@${from.domain}`, to, subject, text: 'It works.' }
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body })
  await from.capturedMails(textAt(answer, 'id'), 1)
}

/** Captures copies of a mail as of this long before it; `until`: what happens before the commit. */
const captureLate = (
  from: Mail,
  { count = 1, msBefore, to }: { count?: number; msBefore: number; to: string },
  beforeCommit: () => Promise<void> = async () => undefined,
): Promise<void> =>
  service.db.transaction(async (tx) => {
    await tx.count(sql`
      insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
      select workspace_id, gen_random_uuid(), message_id, position, return_path, ${to}, raw, captured_at - make_interval(secs => ${msBefore / 1_000}::float8)
      from captured_mail, generate_series(1, ${count}) where workspace_id = ${acme.id} and id = ${from.id}`)
    await beforeCommit()
  })

/** How many calls wait now. */
const waiting = (): number => service.captureWaits.count()

test('200: newest first, by address of any case and by a part of the subject; page by page', async () => {
  await mail('Ada@example.com', 'Your code is 482913')
  await mail('grace@example.com', 'Welcome, ÉLISE')
  await mail('ada@example.com', 'Welcome back')
  assert.deepEqual(recipients(await listed()), [
    'ada@example.com',
    'grace@example.com',
    'Ada@example.com',
  ])
  const toAda = await listed({ to: 'ADA@example.com' })
  assert.deepEqual(
    toAda.data.map(({ subject }) => subject),
    ['Welcome back', 'Your code is 482913'],
  )
  assert.deepEqual(recipients(await listed({ subject: ' welcome, élise ' })), ['grace@example.com'])
  assert.deepEqual(recipients(await listed({ to: 'ada@example.com', subject: 'code' })), [
    'Ada@example.com',
  ])
  assert.deepEqual((await listed({ to: 'ada@example.org' })).data, [])
  const first = await listed({ limit: 2 })
  assert.deepEqual([first.data.length, first.has_more], [2, true])
  const rest = await listed({ limit: 2, cursor: first.next_cursor })
  assert.deepEqual(
    [recipients(rest), rest.has_more, rest.next_cursor],
    [['Ada@example.com'], false, ''],
  )
})

test('200: since a mail, and since an earlier answer, also an empty one and a page', async () => {
  const before = await listed({ to: 'nobody@example.com' })
  assert.deepEqual(before.data, [])
  const page = await listed({ limit: 1 })
  assert.deepEqual((await listed({ since: before.cursor })).data, [])
  assert.deepEqual((await listed({ since: page.next_cursor })).data, [])
  await mail('joan@example.com', 'First')
  const [joan] = (await listed({ since: before.cursor })).data
  assert.equal(joan?.recipient, 'joan@example.com')
  await mail('joan@example.com', 'Second')
  const subjects = async (since: string): Promise<string[]> =>
    (await listed({ since })).data.map(({ subject }) => subject)
  assert.deepEqual(await subjects(joan.id), ['Second'])
  assert.deepEqual(await subjects(page.cursor), ['Second', 'First'])
  assert.deepEqual(await subjects(page.next_cursor), ['Second', 'First'])
})

test('200: since an answer, also a mail whose capture commits after those captured later', async () => {
  await mail('newest@example.com')
  const [newest = assert.fail()] = (await listed()).data
  const cursors: string[] = []
  await captureLate(newest, { msBefore: 1_500, to: 'late@example.com' }, async () => {
    const page = await listed({ limit: 1 })
    cursors.push(page.cursor, page.next_cursor, (await listed({ to: 'late@example.com' })).cursor)
  })
  for (const since of cursors) {
    const result = await listed({ since })
    assert.deepEqual(recipients(result), ['late@example.com'])
    assert.deepEqual((await listed({ since: result.cursor })).data, [], 'once')
    assert.deepEqual(recipients(await listed({ since, to: 'late@example.com', wait: 30 })), [
      'late@example.com',
    ])
  }
  assert.deepEqual((await listed({ since: newest.id })).data, [], 'captured before that mail')
})

test('200: of more mails in two seconds, an answer names the newest 200, and none comes twice', async () => {
  await mail('busy@example.com')
  const [newest = assert.fail()] = (await listed()).data
  const many = { count: limits.capturedSeenMax, to: 'many@example.com' }
  await captureLate(newest, { ...many, msBefore: 500 })
  const { cursor } = await listed({ limit: 1 })
  assert.deepEqual((await listed({ since: cursor })).data, [])
  await captureLate(newest, { msBefore: 400, to: 'found@example.com' })
  await captureLate(newest, { msBefore: 600, to: 'lost@example.com' })
  assert.deepEqual(recipients(await listed({ since: cursor })), ['found@example.com'])
  const { next_cursor: older } = await listed({ limit: 1 })
  assert.equal((await listed({ limit: 1, cursor: older })).data.length, 1, 'a cursor that long')
})

test('200: a workspace without any mail has a cursor too', async () => {
  const key = await other.makeKey(['captured:read'])
  const empty = await listBy(key)
  assert.deepEqual([empty.data, empty.has_more, empty.next_cursor], [[], false, ''])
  await mail('first@example.com', 'Hello', other)
  const result = await listBy(key, { since: empty.cursor })
  assert.deepEqual(recipients(result), ['first@example.com'])
  assert.deepEqual((await listed({ to: 'first@example.com' })).data, [], 'of another workspace')
})

test('200: the subject of a campaign is that of its reader', async () => {
  await addSubscribers(api, acme, 2)
  const id = await draftOf(api, acme, { name: 'N', subject: 'News for {{email}}' })
  assertAnswered(await sendCampaign(api, acme, id), 202)
  await untilSent(api, acme, id)
  const all = await until(
    () => listed({ subject: 'news for' }),
    ({ data }) => data.length === 2,
  )
  const [entry] = recipients(all)
  assert.deepEqual(recipients(await listed({ subject: `FOR ${entry}` })), [entry])
})

test('200: a call that finds nothing waits for the mail that matches, and no other', async () => {
  const { cursor } = await listed()
  const heard: string[] = []
  const { onWakeUp } = service.captureWaits
  Object.assign(service.captureWaits, {
    onWakeUp: (hint: WakeUp) => (heard.push(hint), onWakeUp(hint)),
  })
  const waits = listed({ to: 'later@example.com', since: cursor, wait: 30 })
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === 1,
  )
  await mail('earlier@example.com')
  assert.equal(waiting(), 1)
  await mail('later@example.com')
  assert.deepEqual(recipients(await waits), ['later@example.com'])
  const atOnce = await listed({ to: 'later@example.com', wait: 30 })
  assert.deepEqual(recipients(atOnce), ['later@example.com'], 'what is there answers at once')
  assert.ok(heard.includes(`captured:${acme.id}`), 'by the commit of the capture')
  Object.assign(service.captureWaits, { onWakeUp })
  assert.equal(waiting(), 0)
})

test('200: a wait ends empty with its time, and when the caller has gone', async () => {
  assert.deepEqual((await listed({ to: 'never@example.com', wait: 1 })).data, [])
  const gone = new AbortController()
  const left = fetch(`${api.baseUrl}/api/v1/captured?to=never@example.com&wait=30`, {
    headers: { authorization: `Bearer ${reader}` },
    signal: gone.signal,
  }).catch(() => null)
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === 1,
  )
  gone.abort()
  await left
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === 0,
  )
})

test('429 rate_limit_exceeded: an eleventh wait of a key, while another key may still wait', async () => {
  const { cursor } = await listed()
  const query = { to: 'tenth@example.com', since: cursor, wait: 30 }
  const ten = Array.from({ length: limits.capturedWaitsOfKeyMax }, () => listed(query))
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === ten.length,
  )
  const refused = await read(query)
  assertRefused(refused, 'rate_limit_exceeded', { reason: 'captured_waits', limit: ten.length })
  assert.equal(refused.headers.get('retry-after'), '1')
  const elsewhere = read(query, acme.key)
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === ten.length + 1,
  )
  assert.deepEqual(await listed({ since: cursor }), await listed({ since: cursor }), 'no wait')
  await mail('tenth@example.com')
  for (const list of await Promise.all(ten)) assert.equal(list.data.length, 1)
  assertAnswered(await elsewhere, 200)
})

test('200: more calls wait than there are connections to the database, and others are answered meanwhile', async () => {
  const { cursor } = await listed()
  const query = { to: 'together@example.com', since: cursor, wait: 30 }
  const waits = [reader, acme.key].flatMap((key) =>
    Array.from({ length: limits.capturedWaitsOfKeyMax }, () => listBy(key, query)),
  )
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === waits.length,
  )
  const connections =
    (await service.db.value<number>(
      sql`select count(*)::int from pg_stat_activity where datname = current_database()`,
    )) ?? assert.fail()
  assert.ok(connections < waits.length, `${connections} connections`)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: other.key }), 200)
  await mail('elsewhere@example.com')
  assert.equal(waiting(), waits.length)
  await mail('together@example.com')
  for (const list of await Promise.all(waits))
    assert.deepEqual(recipients(list), ['together@example.com'])
})

test('404 not_found: a provider of the workspace delivers for real; a wait then ends too', async () => {
  const { cursor } = await listed()
  const waits = read({ since: cursor, to: 'real@example.com', wait: 30 })
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === 1,
  )
  const { providers } = service
  const delivering = onlyProvider({ ...providers.of(acme.id), captures: false }, null)
  const of = providers.of
  Object.assign(providers, { of: delivering.of })
  try {
    assertRefused(await waits, 'not_found', { reason: 'not_capturing' })
    for (const line of [
      'GET /captured',
      'DELETE /captured?to=a@example.com',
      `GET /captured/${service.makeId()}`,
    ]) {
      const [method = '', path = ''] = line.split(' ')
      assertRefused(
        await ask(api.baseUrl, `${method} /api/v1${path}`, { key: acme.key }),
        'not_found',
        { reason: 'not_capturing' },
      )
    }
  } finally {
    Object.assign(providers, { of })
  }
})

test('mails that give access to our pages are never listed, read, counted or waited for', async () => {
  const { cursor } = await listed()
  const waits = listed({ since: cursor, wait: 1 })
  await until(
    () => Promise.resolve(waiting()),
    (count) => count === 1,
  )
  const id = await service.db.transaction((tx) =>
    admitNotice(service, tx, {
      workspaceId: acme.id,
      notice: {
        ...{ from: { name: null, email: 'hello@acme.test' }, to: 'user@example.com' },
        ...{ subject: 'Invitation', text: 'https://x.test/secret', html: '' },
        ...{ passesUnsubscribe: true, isPrivate: true },
      },
    }),
  )
  service.wake('transactional')
  await acme.capturedMails(id, 1)
  assert.deepEqual((await waits).data, [])
  assert.deepEqual((await listed({ to: 'user@example.com' })).data, [])
  assert.deepEqual((await listed({ subject: 'Invitation' })).data, [])
  const captured = await service.db.value<string>(
    sql`select id from captured_mail where workspace_id = ${acme.id} and message_id = ${id}`,
  )
  const readOne = await ask(api.baseUrl, `GET /api/v1/captured/${captured}`, { key: acme.key })
  assertRefused(readOne, 'not_found')
  const removed = await ask(api.baseUrl, 'DELETE /api/v1/captured?to=user@example.com', {
    key: acme.key,
  })
  assertAnswered(removed, 200, { deleted: 0 })
})

test('403 insufficient_scope: a key that sends mail; a key that reads does not delete', async () => {
  const sender = await acme.makeKey(['emails:send'])
  assertRefused(await read({}, sender), 'insufficient_scope', { required: 'captured:read' })
  const removal = ask(api.baseUrl, 'DELETE /api/v1/captured?to=a@example.com', { key: reader })
  assertRefused(await removal, 'insufficient_scope', { required: 'captured:write' })
})

test('422 validation_error: no address, no mail of this workspace, a wait that is too long', async () => {
  const foreign = await listBy(other.key)
  assertRefused(await read({ to: 'nobody' }), 'validation_error', { path: 'to' })
  for (const since of ['x', service.makeId(), foreign.data[0]?.id ?? '', foreign.cursor])
    assertRefused(await read({ since }), 'validation_error', {
      path: 'since',
      rule: 'captured_since',
    })
  assertRefused(await read({ cursor: 'x' }), 'validation_error', { path: 'cursor' })
  assertRefused(await read({ wait: limits.capturedWaitSecondsMax + 1 }), 'validation_error', {
    path: 'wait',
  })
})

test('a capture of the workspace wakes a wait at once, and no other does', async () => {
  const clock = createFrozenClock()
  const waits = createCaptureWaits(clock, () => undefined)
  let there: string | null = null
  const result = waits.until({
    ...{ workspaceId: 1, keyId: 'key', seconds: 30, left: undefined },
    query: () => Promise.resolve(there),
  })
  const sleeping = (ms: number) =>
    until(
      () => Promise.resolve(clock.sleepersMs()),
      (all) => all.length === 1 && all[0] === ms,
    )
  await sleeping(1_000)
  there = 'mail'
  waits.onWakeUp('captured:2')
  waits.onWakeUp('transactional')
  await sleeping(1_000)
  waits.onWakeUp('captured:1')
  // Queries are a tenth of a second apart.
  await sleeping(100)
  clock.advance(100)
  assert.equal(await result, 'mail')
  assert.equal(waits.count(), 0)
})

const waitsOf = (waits: ReturnType<typeof createCaptureWaits>, keyId: string, workspaceId = 1) =>
  waits.until({
    ...{ workspaceId, keyId, seconds: 30, left: undefined },
    query: () => Promise.resolve(null),
  })

test('at most 25 calls of a workspace and a hundred in all wait in a process; all end when it stops', async () => {
  const waits = createCaptureWaits(createFrozenClock(), () => undefined)
  const { capturedWaitsMax: max, capturedWaitsOfWorkspaceMax: ofWorkspace } = limits
  const beginAll = (count: number, workspaceId: number) =>
    Array.from({ length: count }, (_, n) =>
      waitsOf(waits, `key ${workspaceId} ${n % 3}`, workspaceId),
    )
  const all = beginAll(ofWorkspace, 1)
  const refused = { code: 'rate_limit_exceeded' }
  await assert.rejects(waitsOf(waits, 'another', 1), {
    ...refused,
    details: { reason: 'captured_waits', limit: ofWorkspace, retry_after: 1 },
  })
  for (let id = 2; waits.count() < max; id++)
    all.push(...beginAll(Math.min(ofWorkspace, max - waits.count()), id))
  await assert.rejects(waitsOf(waits, 'another', 99), refused)
  waits.end()
  assert.deepEqual(new Set(await Promise.all(all)), new Set([null]))
  assert.equal(await waitsOf(waits, 'another'), null)
})

test('other processes are told of captures only while calls of theirs may wait', async () => {
  const clock = createFrozenClock()
  let announced = 0
  const [here, there] = [
    createCaptureWaits(clock, () => announced++),
    createCaptureWaits(clock, () => undefined),
  ]
  assert.equal(there.othersWait(), false)
  const waits = [waitsOf(here, 'one'), waitsOf(here, 'two')]
  assert.equal(announced, 1, 'once for calls of a moment')
  there.onWakeUp('captures')
  assert.deepEqual([there.othersWait(), here.othersWait()], [true, false])
  clock.advance(4_999)
  waits.push(waitsOf(here, 'within the announcement'))
  assert.equal(announced, 1)
  clock.advance(30_000)
  assert.equal(there.othersWait(), true, 'until the last of them is over')
  waits.push(waitsOf(here, 'three'))
  assert.equal(announced, 2, 'and again')
  clock.advance(10_000)
  assert.equal(there.othersWait(), false)
  here.end()
  await Promise.all(waits)
})

test('nobody waits in another process: a capture is no hint to others', () => {
  const reported: string[] = []
  const ctx = { ...service, wake: (hint: WakeUp) => void reported.push(hint) }
  const { wake, captureWaits, stop } = createService(ctx)
  wake('captured:1')
  wake('feedback')
  captureWaits.onWakeUp('captures')
  wake('captured:1')
  assert.deepEqual(reported, ['feedback', 'captured:1'])
  stop()
})
