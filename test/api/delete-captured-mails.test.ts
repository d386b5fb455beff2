/** DELETE /api/v1/captured: the mails to an address or with a subject, never all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallContext } from '../../src/core/context.ts'
import { deleteCapturedMails } from '../../src/core/captured/delete-captured-mails.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const acme = await api.workspace('acme')
const other = await api.workspace('other')

const byKey = (line: string, key = acme.key): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  return ask(api.baseUrl, `${method} /api/v1${path}`, { key })
}
async function mail(to: string, subject: string, from = acme): Promise<string> {
  const body = { from: `hello@${from.domain}`, to, subject, text: 'It works.' }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body })
  await from.capturedMails(textAt(sent, 'id'), 1)
  return textAt(sent, 'id')
}
const subjects = async (key = acme.key): Promise<string[]> =>
  (at((await byKey('GET /captured', key)).body, 'data') as { subject: string }[]).map(
    ({ subject }) => subject,
  )
const idOf = async (subject: string): Promise<string> =>
  String(at((await byKey(`GET /captured?subject=${subject}`)).body, 'data', '0', 'id'))

test('200: those to an address, with a subject, and since another; of this workspace alone', async () => {
  for (const [to, subject] of [
    ['ada@example.com', 'one'],
    ['ada@example.com', 'two'],
    ['joan@example.com', 'one'],
    ['ada@example.com', 'three'],
  ] as const)
    await mail(to, subject)
  await mail('ada@example.com', 'one', other)
  const two = await idOf('two')
  assertAnswered(await byKey(`DELETE /captured?to=ADA@example.com&since=${two}`), 200, {
    deleted: 1,
    has_more: false,
  })
  assert.deepEqual(await subjects(), ['one', 'two', 'one'])
  assertAnswered(await byKey('DELETE /captured?to=ada@example.com&subject=ONE'), 200, {
    deleted: 1,
  })
  assert.deepEqual(await subjects(), ['one', 'two'])
  assertAnswered(await byKey('DELETE /captured?subject=w'), 200, { deleted: 1 })
  assertRefused(await byKey(`GET /captured/${two}`), 'not_found')
  assertAnswered(await byKey('DELETE /captured?subject=w'), 200, { deleted: 0 })
  assert.deepEqual(await subjects(), ['one'])
  assert.deepEqual(await subjects(other.key), ['one'])
})

test('200: a deleted mail still ends as it would have, and mails since it are found', async () => {
  const message = await mail('bounced@simulator.test', 'gone')
  const gone = await idOf('gone')
  assertAnswered(await byKey('DELETE /captured?subject=gone'), 200, { deleted: 1 })
  await mail('ada@example.com', 'later')
  const since = await byKey(`GET /captured?since=${gone}`)
  assert.equal(at(since.body, 'data', '0', 'subject'), 'later')
  await api.moveClock('1 minute')
  await until(
    () => byKey(`GET /emails/${message}`),
    ({ body }) => at(body, 'status') === 'bounced',
  )
})

test('200: at most 5,000 of a call, each call once in the audit log; a search reads the newest 10,000', async () => {
  const many = await api.workspace('many')
  // A mail to one address, below 10,000 to another.
  await mail('first@example.com', 'first', many)
  await api.run(`insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
    select workspace_id, gen_random_uuid(), message_id, position, return_path, 'many@example.com', raw, captured_at + make_interval(secs => n)
    from captured_mail, generate_series(1, 10000) n where workspace_id = ${many.id}`)
  const remove = (to: string) => byKey(`DELETE /captured?to=${to}`, many.key)
  assertAnswered(await remove('first@example.com'), 200, { deleted: 0, has_more: false })
  assertAnswered(await remove('Many@example.com'), 200, { deleted: 5_000, has_more: true })
  assertAnswered(await remove('first@example.com'), 200, { deleted: 1, has_more: false })
  assertAnswered(await remove('many@example.com'), 200, { deleted: 5_000, has_more: true })
  assertAnswered(await remove('many@example.com'), 200, { deleted: 0, has_more: false })
  const audited = await api.service.db.rows(sql`
    select subject, details from audit_log where workspace_id = ${many.id} and act = 'captured.deleted' order by id`)
  assert.deepEqual(audited, [
    { subject: 'to=many@example.com', details: { count: 5_000 } },
    { subject: 'to=first@example.com', details: { count: 1 } },
    { subject: 'to=many@example.com', details: { count: 5_000 } },
  ])
})

test('a call whose caller has gone deletes nothing', async () => {
  await mail('ada@example.com', 'kept')
  const call = {
    ...api.service,
    ...{ workspaceId: acme.id, user: null, left: () => AbortSignal.abort() },
  } as unknown as CallContext
  const query = { to: 'ada@example.com' }
  const input = { query } as Parameters<typeof deleteCapturedMails>[1]
  const { body } = await deleteCapturedMails(call, input)
  assert.deepEqual(body, { object: 'captured_mail', deleted: 0, has_more: true })
  assert.ok((await subjects()).includes('kept'))
})

test('422 validation_error: no filter deletes nothing, whatever else is given', async () => {
  const stored = await subjects()
  const { cursor } = (await byKey('GET /captured')).body as { cursor: string }
  for (const query of ['', '?subject=%20', `?since=${cursor}`, '?recipient=ada@example.com'])
    assertRefused(await byKey(`DELETE /captured${query}`), 'validation_error', {
      rule: 'captured_filter',
    })
  assert.deepEqual(await subjects(), stored)
})
