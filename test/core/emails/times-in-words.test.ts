/** Times in words at every call that schedules: the instant is the database's, and the answer says it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { databaseTimeMs } from '../../../src/database/schema/schema-state.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../../support/ask.ts'
import { startApi } from '../../support/api.ts'
import { addSubscribers, draftOf } from '../../support/campaign-world.ts'
import { at } from '../../support/json.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { wellDone } from '../../support/sdk-answers.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
await addSubscribers(api, shop, 1)
const resend = new Resend(shop.key, { baseUrl: `${api.baseUrl}/api/v1` })
const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const now = (): Promise<number> => databaseTimeMs(api.service.db)
const call = (line: string, body: unknown, headers = {}): Promise<Answer> =>
  ask(api.baseUrl, line, { key: shop.key, body, headers })
const send = (body: unknown, headers = {}) => call('POST /api/v1/emails', body, headers)
const stored = async (id: string): Promise<unknown> =>
  at((await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })).body, 'scheduled_at')

/** What the work answered lies so many milliseconds after a moment within it. */
async function liesAhead(work: () => Promise<string>, ms: number): Promise<string> {
  const before = await now()
  const instant = await work()
  const result = Date.parse(instant) - ms
  assert.ok(before <= result && result <= (await now()), instant)
  return instant
}

test('POST /emails and PATCH: the answer has the instant that is stored', async () => {
  let answer = await send(mail)
  assert.equal(at(answer.body, 'scheduled_at'), undefined)
  const sent = await liesAhead(async () => {
    answer = await send({ ...mail, scheduled_at: 'in 1 min' })
    return textAt(answer, 'scheduled_at')
  }, 60_000)
  assert.equal(answer.status, 202)
  const id = textAt(answer, 'id')
  assert.equal(await stored(id), sent)
  const moved = await liesAhead(
    async () =>
      textAt(
        await call(`PATCH /api/v1/emails/${id}`, { scheduled_at: 'in 2 hours' }),
        'scheduled_at',
      ),
    7_200_000,
  )
  assert.equal(await stored(id), moved)
  const written = '2027-03-01T09:00:00+01:00'
  assertAnswered(await call(`PATCH /api/v1/emails/${id}`, { scheduled_at: written }), 200, {
    scheduled_at: '2027-03-01T08:00:00.000Z',
  })
})

test('a repeated call has the instant of the first one, other words are other content', async () => {
  const key = { 'idempotency-key': 'welcome' }
  const first = await send({ ...mail, scheduled_at: 'in 1 hour' }, key)
  const again = await send({ ...mail, scheduled_at: 'in 1 hour' }, key)
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  assertRefused(await send({ ...mail, scheduled_at: 'in 2 hours' }, key), 'idempotency_key_reused')
})

test('a batch: each message its own time', async () => {
  const bodies = [mail, { ...mail, scheduled_at: 'tomorrow at noon' }]
  const answer = await call('POST /api/v1/emails/batch', bodies, { 'idempotency-key': 'both' })
  const noon = textAt(answer, 'data', '1', 'scheduled_at')
  assert.match(noon, /T12:00:00\.000Z$/)
  assert.equal(at(answer.body, 'data', '0', 'scheduled_at'), undefined)
  assert.equal(await stored(textAt(answer, 'data', '1', 'id')), noon)
  const again = await call('POST /api/v1/emails/batch', bodies, { 'idempotency-key': 'both' })
  assert.deepEqual(again.body, answer.body)
})

test('campaigns and broadcasts', async () => {
  const id = await draftOf(api, shop)
  await liesAhead(
    async () =>
      textAt(
        await call(`POST /api/v1/campaigns/${id}/schedule`, { scheduledAt: 'in 30 days' }),
        'scheduledAt',
      ),
    30 * 86_400_000,
  )
  const { data: segments } = await wellDone(resend.segments.list())
  const news = {
    ...{ segmentId: segments[0]?.id ?? '', from: 'hello@shop.test', subject: 'News' },
    text: 'Bonjour',
  }
  await liesAhead(async () => {
    const created = await wellDone(
      resend.broadcasts.create({ ...news, send: true, scheduledAt: 'in 1 min' }),
    )
    return String(at(created, 'scheduled_at'))
  }, 60_000)
  const draft = await wellDone(resend.broadcasts.create(news))
  const sent = await wellDone(resend.broadcasts.send(draft.id, { scheduledAt: 'in an hour' }))
  const read = await wellDone(resend.broadcasts.get(draft.id))
  assert.deepEqual([at(sent, 'id'), at(sent, 'scheduled_at')], [draft.id, read.scheduled_at])
})

test('422: words that are not understood, with examples; the past; more than a year ahead', async () => {
  const answer = await send({ ...mail, scheduled_at: 'next Friday' })
  assertRefused(answer, 'validation_error', { path: 'scheduled_at', rule: 'date-time' })
  assert.match(textAt(answer, 'error', 'message'), /`in 1 min`, `tomorrow at 9am`/)
  const id = textAt(await send({ ...mail, scheduled_at: 'in 1 day' }), 'id')
  const campaign = await draftOf(api, shop)
  for (const [words, rule] of [
    ['soon', 'date-time'],
    ['in 400 days', 'too_far'],
    ['today at midnight', 'in_the_past'],
  ] as const)
    for (const [line, body, path] of [
      ['POST /api/v1/emails', { ...mail, scheduled_at: words }, 'scheduled_at'],
      [`PATCH /api/v1/emails/${id}`, { scheduled_at: words }, 'scheduled_at'],
      [`POST /api/v1/campaigns/${campaign}/schedule`, { scheduledAt: words }, 'scheduledAt'],
    ] as const)
      assertRefused(await call(line, body), 'validation_error', { path, rule })
})
