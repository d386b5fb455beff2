/** GET /api/v1/stats: the figures of the overview by day, for programs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')

type Stats = AnswerOf<'getStats'>['body']
const read = async (key: string, query = ''): Promise<Stats> => {
  const answer = await ask(api.baseUrl, `GET /api/v1/stats${query}`, { key })
  assertAnswered(answer, 200, { object: 'stats', by: 'day' })
  // The types hold what a verb answers to its schema.
  return answer.body as Stats
}
const send = async (to: string) => {
  const body = { from: `hello@${shop.domain}`, to, subject: 'Hello', text: 'Hello' }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 202)
}
const nothing = { delivered: 0, assumed: 0, waiting: 0, bounced: 0, complained: 0, failed: 0 }

test('200: the mails of each day by their outcome, of this workspace alone, with totals', async () => {
  await send('ada@example.com')
  await send('ines@example.com')
  const mailsIn = ({ totals: { assumed: _ofDelivered, ...totals } }: Stats): number =>
    Object.values(totals).reduce((sum, some) => sum + some, 0)
  const counted = await until(
    () => read(shop.key),
    (stats) => stats.complete && mailsIn(stats) === 2,
  )
  assert.equal(counted.data.length, 30)
  const today = counted.data.at(-1)
  assert.deepEqual(today?.counts, counted.totals)
  const theirs = await until(
    () => read(other.key),
    ({ complete }) => complete,
  )
  assert.deepEqual(theirs.totals, nothing)
  const day = `${counted.data[3]?.day}T12:00:00Z`
  const range = await read(shop.key, `?from=${day}&to=${counted.data[5]?.day}T00:00:00Z&by=day`)
  assert.deepEqual(
    range.data.map((one) => one.day),
    counted.data.slice(3, 6).map((one) => one.day),
  )
  assert.deepEqual(range.totals, nothing)
})

test('422, 403: no time, another step, a key that reads no statistics', async () => {
  for (const query of ['?from=soon', '?to=2026-13-01T00:00:00Z', '?by=hour'])
    assertRefused(
      await ask(api.baseUrl, `GET /api/v1/stats${query}`, { key: shop.key }),
      'validation_error',
    )
  const key = await shop.makeKey(['emails:send'])
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/stats', { key }), 'insufficient_scope')
})
