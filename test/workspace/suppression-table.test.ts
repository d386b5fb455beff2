/**
 * The suppression list as members look through it: filters, counts, the file of all that match, and
 * the removal of selected entries; of their own workspace alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const editor = await signIn(api, { email: 'ada@people.test', in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const here = '/workspaces/shop/api/v1/suppression'
const there = '/workspaces/other/api/v1/suppression'

const fill = (workspaceId: number, reason: string, count: number, day: string): Promise<number> =>
  db.count(sql`
    insert into suppression (workspace_id, email, id, reason, created_at)
    select ${workspaceId}, ${reason} || n || '@' || ${day} || '.example', gen_random_uuid(), ${reason},
      ${day}::date + make_interval(secs => n)
    from generate_series(1, ${count}::int) n`)
await fill(shop.id, 'bounce', 3, '2026-01-05')
await fill(shop.id, 'complaint', 2, '2026-02-05')
await fill(shop.id, 'manual', 1, '2026-03-05')
await fill(other.id, 'bounce', 4, '2026-01-05')
await api.run(`insert into erased_suppression (workspace_id, digest, id, reason, created_at)
  values (${shop.id}, 'x', gen_random_uuid(), 'unsubscribe', '2026-03-06')`)

const list = async (query: string): Promise<string[]> => {
  const emails: string[] = []
  for (let cursor = ''; ;) {
    const page = await viewer.ask(`GET ${here}?limit=2&${query}${cursor && `&cursor=${cursor}`}`)
    assertAnswered(page, 200)
    emails.push(...(at(page.body, 'data') as unknown[]).map((entry) => String(at(entry, 'email'))))
    cursor = encodeURIComponent(textAt(page, 'next_cursor'))
    if (cursor === '') return emails
  }
}
const idsOf = async (workspaceId: number, reason: string): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from suppression where workspace_id = ${workspaceId} and reason = ${reason} order by email`)
  return rows.map(({ id }) => id)
}
const lift = (ids: string[], reason = 'The provider had a failure', who = editor, base = here) =>
  who.ask(`POST ${base}/lift-selected`, { body: { ids, reason } })
const exported = async (query: string): Promise<string> => {
  const { cookie } = editor
  return (await fetch(`${api.baseUrl}${here}/export${query}`, { headers: { cookie } })).text()
}

const bounces = [3, 2, 1].map((n) => `bounce${n}@2026-01-05.example`)
const complaints = [2, 1].map((n) => `complaint${n}@2026-02-05.example`)

test('200: a reason, a part of the address and a time narrow the list, newest first, page by page', async () => {
  assert.deepEqual(await list('reason=bounce'), bounces)
  assert.deepEqual(await list('reason=unsubscribe'), ['erased@invalid'])
  assert.deepEqual(await list('q=2026-01'), bounces)
  assert.deepEqual(await list('q=COMPLAINT&reason=complaint'), complaints)
  assert.deepEqual(await list('q=invalid'), [], 'the address of an erased contact is not stored')
  const period = 'from=2026-01-05T00:00:02Z&to=2026-02-05T00:00:02Z'
  assert.deepEqual(await list(period), [complaints[1], ...bounces.slice(0, 2)])
  assert.deepEqual(await list(`${period}&reason=bounce`), bounces.slice(0, 2))
  assert.deepEqual(await list(`${period}&q=complaint`), [complaints[1]])
})

test('422 validation_error: a reason, a time or a cursor that is none of this list', async () => {
  assertRefused(await viewer.ask(`GET ${here}?reason=gone`), 'validation_error', { path: 'reason' })
  assertRefused(await viewer.ask(`GET ${here}?from=today`), 'validation_error', { path: 'from' })
  assertRefused(await viewer.ask(`GET ${here}?to=today`), 'validation_error', { path: 'to' })
  const long = 'x'.repeat(limits.searchMax + 1)
  assertRefused(await viewer.ask(`GET ${here}?q=${long}`), 'validation_error', { path: 'q' })
  const cursor = textAt(await viewer.ask(`GET ${here}?limit=1&reason=bounce`), 'next_cursor')
  assertRefused(
    await viewer.ask(`GET ${here}?reason=complaint&cursor=${encodeURIComponent(cursor)}`),
    'validation_error',
    { path: 'cursor' },
  )
  assertRefused(await viewer.ask(`GET ${here}/count?from=x`), 'validation_error', { path: 'from' })
})

test('a key ignores what only the pages filter by', async () => {
  const answer = await ask(api.baseUrl, 'GET /api/v1/suppression?reason=bounce', { key: shop.key })
  assert.equal((at(answer.body, 'data') as unknown[]).length, 7)
})

test('200: each reason is counted, of this workspace alone; a text and a time narrow the counts', async () => {
  const none = { count: 0, more: false }
  assertAnswered(await viewer.ask(`GET ${here}/count`), 200, {
    ...{ object: 'suppression_count', count: 7, more: false },
    reasons: {
      bounce: { count: 3, more: false },
      complaint: { count: 2, more: false },
      manual: { count: 1, more: false },
      unsubscribe: { count: 1, more: false },
    },
    removable: { bounce: { count: 3, more: false }, manual: { count: 1, more: false } },
  })
  const january = '?to=2026-02-01T00:00:00Z'
  assertAnswered(await viewer.ask(`GET ${here}/count${january}`), 200, {
    ...{ count: 3, reasons: { bounce: { count: 3 }, complaint: none, unsubscribe: none } },
  })
  assertAnswered(await viewer.ask(`GET ${here}/count?q=t1@&from=2026-02-01T00:00:00Z`), 200, {
    ...{ count: 1, reasons: { complaint: { count: 1, more: false }, bounce: none } },
  })
  assertAnswered(await stranger.ask(`GET ${there}/count`), 200, { count: 4 })
})

test('200: 10,000 and more are counted as such, and a text among the newest of them', async () => {
  const big = await api.workspace('big')
  const reader = await signIn(api, { in: { [big.id]: 'viewer' } })
  await fill(big.id, 'bounce', 1, '2026-01-05')
  await fill(big.id, 'manual', 10_001, '2026-01-06')
  const table = '/workspaces/big/api/v1/suppression'
  assertAnswered(await reader.ask(`GET ${table}/count`), 200, {
    ...{ count: 10_001, more: true },
    reasons: { manual: { count: 10_000, more: true }, bounce: { count: 1, more: false } },
  })
  assertAnswered(await reader.ask(`GET ${table}/count?q=manual10001@`), 200, {
    ...{ count: 1, more: true, reasons: { bounce: { count: 0 } } },
  })
  const page = await reader.ask(`GET ${table}?q=bounce1@`)
  assertAnswered(page, 200, { data: [], has_more: true })
  const cursor = encodeURIComponent(textAt(page, 'next_cursor'))
  assertAnswered(await reader.ask(`GET ${table}?q=bounce1@&cursor=${cursor}`), 200, {
    ...{ data: [], has_more: true },
  })
})

test('the file has all that match, as an import reads them; who exported is in the audit log', async () => {
  const lines = (await exported('?reason=bounce&q=bounce')).replace('\ufeff', '').split('\r\n')
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(0, 2).join()),
    ['email,reason', ...bounces.map((email) => `${email},bounce`), ''],
  )
  const all = await exported('')
  assert.ok(!all.includes('erased@invalid') && all.includes('manual1@2026-03-05.example'))
  assert.ok(!(await exported('?to=2026-02-01T00:00:00Z')).includes('complaint'))
  assertRefused(await viewer.ask(`GET ${here}/export`), 'insufficient_role')
  assertRefused(await stranger.ask(`GET ${here}/export`), 'not_found')
  const [entry] = await db.rows(sql`
    select who, subject, details from audit_log
    where workspace_id = ${shop.id} and act = 'suppression.exported' order by id limit 1`)
  assert.deepEqual(entry, {
    ...{ who: 'ada@people.test', subject: '' },
    details: { only: 'bounce', searched: true, since: null, until: null },
  })
})

test('409 not_lifted_together: an address that complained is named, and all entries stay', async () => {
  const ids = [...(await idsOf(shop.id, 'bounce')), ...(await idsOf(shop.id, 'complaint'))]
  const refused = await lift(ids)
  assertRefused(refused, 'conflict', {
    ...{ reason: 'not_lifted_together', count: 2 },
    addresses: complaints.toReversed().join(', '),
  })
  assert.match(textAt(refused, 'error', 'message'), /complaint1@2026-02-05\.example/)
  assert.equal((await list('')).length, 7)
})

test('403, 404, 422: a viewer, a late proof, a stranger, no reason and too many remove nothing', async () => {
  const ids = await idsOf(shop.id, 'bounce')
  assertRefused(await lift(ids, undefined, viewer), 'insufficient_role')
  assertRefused(await lift(ids, undefined, stranger), 'not_found')
  assertAnswered(await lift(ids, undefined, stranger, there), 200, { lifted: 0, absent: 3 })
  assertRefused(await lift(ids, '  x  '), 'validation_error', { path: 'reason' })
  assertRefused(await lift([]), 'validation_error', { path: 'ids' })
  const many = Array.from({ length: 501 }, () => ids[0] ?? '')
  assertRefused(await lift(many), 'validation_error', { path: 'ids', limit: 500 })
  assertRefused(await lift(['1']), 'validation_error', { path: 'ids.0' })
  await api.moveClock('20 minutes')
  assertRefused(await lift(ids), 'fresh_sign_in_required')
  await api.moveClock('0 seconds')
  assert.deepEqual(await list('reason=bounce'), bounces)
})

test('200: selected entries go in one step, each with its reason in the audit log', async () => {
  const [first = '', second = ''] = await idsOf(shop.id, 'bounce')
  await api.suppressOnPlatform('bounce1@2026-01-05.example')
  const foreign = await idsOf(other.id, 'bounce')
  const done = await lift([first, second, first, ...foreign], ' The provider had a failure ')
  assertAnswered(done, 200, { lifted: 2, absent: 4, suppressed_by_platform: 1 })
  assert.deepEqual(await list('reason=bounce'), ['bounce3@2026-01-05.example'])
  assert.equal((await idsOf(other.id, 'bounce')).length, 4)
  const entries = await db.rows(sql`
    select subject, details from audit_log
    where workspace_id = ${shop.id} and act = 'suppression.lifted' order by subject`)
  const details = { reason: 'The provider had a failure', was: 'bounce' }
  assert.partialDeepStrictEqual(entries, [
    { subject: 'bounce1@2026-01-05.example', details },
    { subject: 'bounce2@2026-01-05.example', details },
  ])
  assert.equal(entries.length, 2)
})

const liftMatching = (body: object, who = editor) =>
  who.ask(`POST ${here}/lift-matching`, { body: { reason: 'Tests of ours', ...body } })

test('409: another number than was confirmed, or more than one call reads, and all stay', async () => {
  await fill(shop.id, 'bounce', 600, '2026-04-05')
  const matching = { q: '@2026-04', from: '2026-04-05T00:00:00Z', to: '2026-04-06T00:00:00Z' }
  const refused = await liftMatching({ matching, expected: 599 })
  assertRefused(refused, 'conflict', { reason: 'suppressions_changed', count: 600, expected: 599 })
  assert.match(textAt(refused, 'error', 'message'), /^600 adresses .* les 599 confirmées/)
  assertRefused(await liftMatching({ matching, expected: 600 }, viewer), 'insufficient_role')
  assertRefused(await liftMatching({ matching, expected: 600 }, stranger), 'not_found')
  assertRefused(
    await liftMatching({ matching, expected: 600, reason: ' x ' }),
    'validation_error',
    {
      path: 'reason',
    },
  )
  for (const reason of ['complaint', 'unsubscribe'])
    assertRefused(await liftMatching({ matching: { reason }, expected: 2 }), 'validation_error', {
      path: 'matching.reason',
    })
  await api.moveClock('20 minutes')
  assertRefused(await liftMatching({ matching, expected: 600 }), 'fresh_sign_in_required')
  await api.moveClock('0 seconds')
  assert.equal((await idsOf(shop.id, 'bounce')).length, 601)
  const owner = await signIn(api, { in: { [(await api.workspace('huge')).id]: 'owner' } })
  const [huge] = await db.rows<{ id: number }>(sql`select id from workspace where slug = 'huge'`)
  await fill(huge?.id ?? 0, 'manual', 10_001, '2026-01-06')
  const many = await owner.ask('POST /workspaces/huge/api/v1/suppression/lift-matching', {
    body: { matching: { reason: 'manual' }, expected: 10_000, reason: 'Tests of ours' },
  })
  assertRefused(many, 'conflict', { reason: 'too_many_suppressions', limit: 10_000 })
})

test('200: all that match go in one step, each in the audit log with the reason, until it is erased; who said so itself, an erased contact and other workspaces stay', async () => {
  await api.run(`insert into erased_suppression (workspace_id, digest, id, reason, created_at)
    values (${shop.id}, 'y', gen_random_uuid(), 'bounce', '2026-04-05T01:00:00Z')`)
  await fill(shop.id, 'complaint', 1, '2026-04-05')
  await api.suppressOnPlatform('bounce1@2026-04-05.example')
  const matching = { from: '2026-04-05T00:00:00Z', to: '2026-04-06T00:00:00Z' }
  const count = await viewer.ask(`GET ${here}/count?from=${matching.from}&to=${matching.to}`)
  assertAnswered(count, 200, {
    ...{ count: 602, removable: { bounce: { count: 600 }, manual: { count: 0 } } },
  })
  const reason = 'Bounce2@2026-04-05.example and more had a failure'
  const done = await liftMatching({ matching, expected: 600, reason: ` ${reason} ` })
  assertAnswered(done, 200, { lifted: 600, absent: 0, suppressed_by_platform: 1 })
  assert.deepEqual(await list(`from=${matching.from}`), [
    'erased@invalid',
    'complaint1@2026-04-05.example',
  ])
  assert.equal((await idsOf(shop.id, 'bounce')).length, 1, 'an earlier one')
  assert.equal((await idsOf(other.id, 'bounce')).length, 4)
  const entries = () =>
    db.rows<{ subject: string }>(sql`
      select who, subject, details from audit_log
      where workspace_id = ${shop.id} and act = 'suppression.lifted' and subject like '%@2026-04-05.example'
        and details ->> 'reason' = ${reason}`)
  const recorded = await entries()
  assert.equal(new Set(recorded.map(({ subject }) => subject)).size, 600)
  assert.equal(recorded.length, 600)
  const first = recorded.find(({ subject }) => subject === 'bounce1@2026-04-05.example')
  assert.deepEqual(first, {
    ...{ who: 'ada@people.test', subject: 'bounce1@2026-04-05.example' },
    details: { reason, was: 'bounce', since: '2026-04-05T00:00:01.000Z' },
  })
  const email = 'bounce2@2026-04-05.example'
  await eraseContact(api.service, { workspaceId: shop.id, email })
  assert.deepEqual(await entries(), [], 'the text names who was erased')
  const manual = { matching: { reason: 'manual', q: 'MANUAL1@' }, expected: 1 }
  assertAnswered(await liftMatching(manual), 200, { lifted: 1 })
  assertRefused(await liftMatching({ ...manual, expected: 0 }), 'validation_error', {
    path: 'expected',
  })
})
