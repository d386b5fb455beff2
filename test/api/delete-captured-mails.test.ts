/** DELETE /api/v1/captured: the mails to an address or with a subject, never all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('422 validation_error: no filter deletes nothing, whatever else is given', async () => {
  const kept = await subjects()
  const { cursor } = (await byKey('GET /captured')).body as { cursor: string }
  for (const query of ['', '?subject=%20', `?since=${cursor}`, '?recipient=ada@example.com'])
    assertRefused(await byKey(`DELETE /captured${query}`), 'validation_error', {
      rule: 'captured_filter',
    })
  assert.deepEqual(await subjects(), kept)
})
