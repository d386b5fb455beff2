/** `PATCH /emails/{id}`: another time for a scheduled message that has not begun to leave. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
const send = async (body: object = {}): Promise<string> => {
  const mail = {
    from: 'hello@shop.test',
    to: 'camille@example.com',
    subject: 'Bonjour',
    text: 'Bonjour',
    ...body,
  }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail }), 'id')
}
const update = (id: string, body: unknown, key = shop.key) =>
  ask(api.baseUrl, `PATCH /api/v1/emails/${id}`, { key, body })
const read = (id: string) => ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })

test('200: the message has the new time', async () => {
  const id = await send({ scheduled_at: inHours(1) })
  const later = inHours(2)
  const answer = await update(id, { scheduled_at: later })
  assertAnswered(answer, 200)
  assert.deepEqual(answer.body, { object: 'email', id, scheduled_at: later })
  assertAnswered(await read(id), 200, {
    scheduled_at: later,
    status: 'queued',
    last_event: 'scheduled',
  })
})

test('200: a time with an offset is stored in UTC, with milliseconds', async () => {
  const id = await send({ scheduled_at: inHours(1) })
  const day = inHours(48).slice(0, 10)
  assertAnswered(await update(id, { scheduled_at: `${day}T10:00:00+02:00` }), 200)
  assertAnswered(await read(id), 200, { scheduled_at: `${day}T08:00:00.000Z` })
})

const refused: [situation: string, body: unknown, details: object][] = [
  ['no time', {}, { path: 'scheduled_at', rule: 'required' }],
  ['a time that is null', { scheduled_at: null }, { path: 'scheduled_at', rule: 'required' }],
  ['a time in words', { scheduled_at: 'tomorrow' }, { path: 'scheduled_at', rule: 'date-time' }],
  [
    'a time of 101 characters',
    { scheduled_at: 'x'.repeat(101) },
    { path: 'scheduled_at', rule: 'maxLength', limit: 100 },
  ],
  [
    'a time long past',
    { scheduled_at: '2020-01-01T00:00:00Z' },
    { path: 'scheduled_at', rule: 'in_the_past' },
  ],
  [
    'a time more than a year ahead',
    { scheduled_at: inHours(24 * 366 + 1) },
    { path: 'scheduled_at', rule: 'too_far', limit: 365 },
  ],
  ['a body that is a list', [], { path: '', rule: 'type' }],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(
      await update(await send({ scheduled_at: inHours(1) }), body),
      'validation_error',
      details,
    )
  })
}

test('409 conflict: the message was not scheduled', async () => {
  assertRefused(await update(await send(), { scheduled_at: inHours(1) }), 'conflict')
})

test('409 conflict: the message was cancelled', async () => {
  const id = await send({ scheduled_at: inHours(1) })
  assertAnswered(await ask(api.baseUrl, `POST /api/v1/emails/${id}/cancel`, { key: shop.key }), 200)
  assertRefused(await update(id, { scheduled_at: inHours(2) }), 'conflict', { status: 'canceled' })
})

test('404 not_found: no such message, no id at all, one of another workspace', async () => {
  const other = await api.workspace('other')
  const body = { scheduled_at: inHours(1) }
  assertRefused(await update('019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', body), 'not_found')
  assertRefused(await update('x', body), 'not_found')
  assertRefused(
    await update(await send({ scheduled_at: inHours(1) }), body, other.key),
    'not_found',
  )
})

test('422 validation_error: a time that has passed by the clock of the database, which is what messages leave by', async () => {
  const id = await send({ scheduled_at: inHours(100) })
  await api.moveClock('48 hours')
  const past = { path: 'scheduled_at', rule: 'in_the_past' }
  assertRefused(await update(id, { scheduled_at: inHours(24) }), 'validation_error', past)
  const mail = {
    from: 'hello@shop.test',
    to: 'a@example.com',
    subject: 's',
    text: 't',
    scheduled_at: inHours(24),
  }
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: mail }),
    'validation_error',
    past,
  )
  const far = inHours(24 * 366)
  assertAnswered(await update(id, { scheduled_at: far }), 200)
  assertAnswered(await read(id), 200, { scheduled_at: far })
})
