/** `logs.*` and `suppressions.*` of the unmodified SDK, compared with what the database then has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allScopes } from '../../src/contract/scopes.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertRefused } from '../support/ask.ts'
import { resendEntryPoints } from '../support/resend-entry-points.ts'
import { clientOf, codeOf, wellDone } from '../support/sdk-answers.ts'

const api = await startApi({ entry: resendEntryPoints })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const resend = clientOf(api, shop.key)
const stranger = clientOf(api, other.key)

const stored = (email: string) =>
  db.row<{ id: string; reason: string }>(sql`
    select id, reason from suppression where workspace_id = ${shop.id} and email = ${email}`)
const loggedCount = async (): Promise<number> => {
  await api.service.requestLog.flush()
  return db.onlyValue<number>(sql`
    select coalesce(sum(calls), 0)::int from request_log where workspace_id = ${shop.id}`)
}

test('suppressions: added, read by address and listed, with the reason beside the origin', async () => {
  const email = 'added@example.com'
  const { id } = await wellDone(resend.suppressions.add({ email: 'Added@Example.com' }))
  assert.deepEqual(await stored(email), { id, reason: 'manual' })
  await shop.suppress('left@example.com', 'unsubscribe')
  const listed = await wellDone(resend.suppressions.list({ limit: 1 }))
  assert.equal(listed.has_more, true)
  assert.partialDeepStrictEqual(listed.data, [
    { email: 'left@example.com', origin: 'manual', reason: 'unsubscribe', source_id: null },
  ])
  const cursor = String(Reflect.get(listed, 'next_cursor'))
  for (const after of [cursor, listed.data[0]?.id ?? '']) {
    const rest = await wellDone(resend.suppressions.list({ after }))
    assert.deepEqual(
      rest.data.map((entry) => [entry.id, entry.email, entry.origin]),
      [[id, email, 'manual']],
    )
  }
  for (const by of [email, id]) {
    const result = await wellDone(resend.suppressions.get(by))
    assert.partialDeepStrictEqual(result, { object: 'suppression', id, email, origin: 'manual' })
  }
})

test('404, 422: of another workspace, an unknown identifier, a filter or a page back', async () => {
  await wellDone(resend.suppressions.add({ email: 'ours@example.com' }))
  assert.equal(await codeOf(stranger.suppressions.get('ours@example.com')), '404 not_found')
  assert.deepEqual((await wellDone(stranger.suppressions.list())).data, [])
  const { id } = (await stored('ours@example.com')) ?? { id: '' }
  assert.equal(await codeOf(stranger.suppressions.get(id)), '404 not_found')
  assert.equal(await codeOf(resend.suppressions.get(api.service.makeId())), '404 not_found')
  assert.equal(await codeOf(resend.suppressions.get('no-address')), '404 not_found')
  assert.equal(await codeOf(stranger.suppressions.list({ after: id })), '422 validation_error')
  const { error } = await resend.suppressions.list({ origin: 'bounce' })
  assert.equal(error?.name, 'validation_error')
  assert.match(error.message, /pages/)
  assert.equal(await codeOf(resend.suppressions.list({ before: id })), '422 validation_error')
})

test('batch.add: all of them in the order given, or none', async () => {
  const emails = ['zoe@example.com', 'abe@example.com', 'zoe@example.com']
  const { data } = await wellDone(resend.suppressions.batch.add({ emails }))
  const ids = await Promise.all(emails.map(async (email) => (await stored(email))?.id))
  assert.deepEqual(
    data.map((entry) => entry.id),
    ids,
  )
  const wrong = resend.suppressions.batch.add({ emails: ['fine@example.com', 'no address'] })
  assert.equal(await codeOf(wrong), '422 validation_error')
  assert.equal(await stored('fine@example.com'), null)
  const many = Array.from({ length: 101 }, (_, index) => `many${index}@example.com`)
  assert.equal(
    await codeOf(resend.suppressions.batch.add({ emails: many })),
    '422 validation_error',
  )
})

test('no call takes an address off the list, whatever the key may do', async () => {
  const email = 'stays@example.com'
  await wellDone(resend.suppressions.add({ email }))
  for (const call of [
    resend.suppressions.remove(email),
    resend.suppressions.batch.remove({ emails: [email] }),
  ]) {
    const { error } = await call
    assert.equal(error?.name, 'not_found')
    assert.match(error.message, /un membre de l'espace le fait/)
  }
  assert.equal((await stored(email))?.reason, 'manual')
})

test('logs: the calls of this workspace, newest first, each by its identifier', async () => {
  await wellDone(resend.suppressions.list())
  await codeOf(resend.emails.get('unknown'))
  await api.service.requestLog.flush()
  const [newest] = await db.rows<{ id: string; operation: string; status: number }>(sql`
    select id, operation, status from request_log where workspace_id = ${shop.id}
    order by id desc limit 1`)
  const { data } = await wellDone(resend.logs.list({ limit: 2 }))
  assert.partialDeepStrictEqual(data, [
    {
      ...{ id: newest?.id, endpoint: '/emails/{id}', method: 'GET' },
      ...{ response_status: newest?.status, user_agent: null },
    },
    { endpoint: '/suppression', method: 'GET', response_status: 200 },
  ])
  const [first, second] = data
  const older = await wellDone(resend.logs.list({ limit: 1, after: first?.id ?? '' }))
  assert.deepEqual(
    older.data.map(({ id }) => id),
    [second?.id],
  )
  const entry = await wellDone(resend.logs.get(second?.id ?? ''))
  assert.deepEqual(entry, {
    ...{ object: 'log', ...second },
    ...{ request_body: null, response_body: null },
  })
})

test('404, 422: a log of another workspace, an unknown one, a page back', async () => {
  await api.service.requestLog.flush()
  const [entry] = (await wellDone(resend.logs.list({ limit: 1 }))).data
  const id = entry?.id ?? ''
  assert.notEqual(id, '')
  assert.equal(await codeOf(stranger.logs.get(id)), '404 not_found')
  assert.equal(await codeOf(resend.logs.get('unknown')), '404 not_found')
  for (const call of [
    () => resend.logs.get(api.service.makeId()),
    () => resend.suppressions.get('nobody@example.com'),
  ]) {
    const before = await loggedCount()
    assert.equal(await codeOf(call()), '404 not_found')
    assert.equal(await loggedCount(), before + 1, 'one line for one call')
  }
  assert.equal(await codeOf(resend.logs.list({ before: id })), '422 validation_error')
})

test('403 insufficient_scope: the log needs a permission of its own', async () => {
  const key = await shop.makeKey(allScopes.filter((scope) => scope !== 'logs:read'))
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/requests', { key }), 'insufficient_scope')
  assert.equal(await codeOf(clientOf(api, key).logs.list()), '403 insufficient_scope')
})
