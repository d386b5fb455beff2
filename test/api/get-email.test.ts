/** `GET /emails/{id}`: the message, and what became of it for each recipient. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = {
  from: 'Boutique <hello@shop.test>',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const send = async (body: object): Promise<string> =>
  textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: { ...mail, ...body } }),
    'id',
  )
const read = (id: string, key = shop.key) => ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key })

test('200: every field of the message, as it was sent', async () => {
  const id = await send({
    to: ['Camille <camille@example.com>', 'ines@example.com'],
    cc: 'cc@example.com',
    bcc: ['bcc@example.com'],
    replyTo: 'answers@example.com',
    html: '<p>Bonjour</p>',
    tags: { order: '1042' },
  })
  const answer = await read(id)
  assertAnswered(answer, 200, {
    id,
    object: 'email',
    subject: 'Bonjour',
    html: '<p>Bonjour</p>',
    text: 'Bonjour',
    tags: { order: '1042' },
    error: null,
    scheduled_at: null,
  })
  const { to, cc, bcc, reply_to: replyTo, recipients } = Object(answer.body)
  assert.deepEqual([to.length, cc.length, bcc.length, replyTo.length], [2, 1, 1, 1])
  assert.deepEqual(
    recipients.map(({ email, kind }: { email: string; kind: string }) => `${kind} ${email}`),
    ['to camille@example.com', 'to ines@example.com', 'cc cc@example.com', 'bcc bcc@example.com'],
  )
})

test('200: without tags, tags is null', async () => {
  assertAnswered(await read(await send({})), 200, { tags: null })
})

test('200: the Message-ID is on the domain of the sender', async () => {
  assert.match(textAt(await read(await send({})), 'message_id'), /^<[^<>@\s]+@shop\.test>$/)
})

test('200: a message that waits for its time is queued, its last event scheduled', async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  assertAnswered(await read(await send({ scheduled_at: scheduledAt })), 200, {
    status: 'queued',
    last_event: 'scheduled',
    scheduled_at: scheduledAt,
    sent_at: null,
    delivered_at: null,
  })
})

/**
 * Reads until the message has the status; the capture mailbox sends its feedback within moments.
 */
async function readWhen(id: string, status: string): Promise<Answer> {
  return until(
    () => read(id),
    ({ body }) => Object(body).status === status,
  )
}

const lookUp = async (email: string): Promise<unknown[]> =>
  Object(
    (
      await ask(api.baseUrl, `GET /api/v1/suppression?email=${encodeURIComponent(email)}`, {
        key: shop.key,
      })
    ).body,
  ).data

test('200: delivered, with the times of both steps', async () => {
  const answer = await readWhen(await send({ to: 'delivered@simulator.test' }), 'delivered')
  assertAnswered(answer, 200, {
    last_event: 'delivered',
    error: null,
    recipients: [{ status: 'delivered', attempts: 1, in_doubt: false }],
  })
  const { created_at: created, sent_at: sent, delivered_at: delivered } = Object(answer.body)
  for (const time of [sent, delivered])
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(created <= sent && sent <= delivered, `${created} ${sent} ${delivered}`)
})

for (const [word, reason] of [
  ['bounced', 'bounce'],
  ['complained', 'complaint'],
] as const) {
  test(`200: ${word}, with the reason, and the address is suppressed by this message`, async () => {
    const email = `${word}+once@simulator.test`
    const id = await send({ to: email })
    const answer = await readWhen(id, word)
    assertAnswered(answer, 200, { last_event: word })
    assert.ok(textAt(answer, 'error').length > 3)
    assert.partialDeepStrictEqual(await lookUp(email), [
      { email, reason, scope: 'organization', source_id: id },
    ])
    const again = await ask(api.baseUrl, 'POST /api/v1/emails', {
      key: shop.key,
      body: { ...mail, to: email },
    })
    assertRefused(again, 'suppressed_recipient', { reason })
  })
}

test('200: failed, with the reason, and no address is suppressed', async () => {
  const answer = await readWhen(await send({ to: 'failed@simulator.test' }), 'failed')
  assert.ok(textAt(answer, 'error').length > 3)
  assert.deepEqual(await lookUp('failed@simulator.test'), [])
})

test('200: of several recipients the worst decides: complained, bounced, failed; each has its own', async () => {
  const to = [
    'delivered+several@simulator.test',
    'failed+several@simulator.test',
    'bounced+several@simulator.test',
  ]
  const bounced = await readWhen(await send({ to }), 'bounced')
  const statuses = (answer: Answer): string[] =>
    Object(answer.body).recipients.map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses(bounced).toSorted(), ['bounced', 'delivered', 'failed'])
  const complained = await readWhen(
    await send({ to: ['failed@simulator.test', 'complained+several@simulator.test'] }),
    'complained',
  )
  assert.deepEqual(statuses(complained), ['failed', 'complained'])
})

test('200: refused by some of the recipients at once: accepted all the same, with the status of each', async () => {
  const answer = await readWhen(
    await send({ to: ['refused@simulator.test', 'camille@example.com'] }),
    'failed',
  )
  assertAnswered(answer, 200, {
    recipients: [{ email: 'refused@simulator.test', status: 'failed' }],
  })
})

test('200: put off twice, then delivered, each attempt counted', async () => {
  const id = await send({ to: 'deferred@simulator.test' })
  // Counted when it begins: put off from then on, once its answer is recorded.
  const putOff = async (count: number): Promise<void> => {
    const rows = () =>
      api.service.db.rows(
        sql`select 1 from recipient where message_id = ${id} and attempts = ${count} and state = 'pending'`,
      )
    await until(rows, ({ length }) => length > 0)
  }
  await putOff(1)
  assertAnswered(await read(id), 200, { status: 'queued' })
  await api.moveClock('3 minutes')
  await putOff(2)
  await api.moveClock('30 minutes')
  const answer = await readWhen(id, 'delivered')
  await api.moveClock('0 seconds')
  assertAnswered(answer, 200, { recipients: [{ attempts: 3 }] })
})

const unknown: [situation: string, id: string][] = [
  ['an id that nothing has', '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  ['an id that is none', 'x'],
  ['an id in capitals of nothing', '019AA5A1-7F00-7C31-9A5E-3B1F6C2D8E40'],
  ['an id of 5,000 characters', 'x'.repeat(5_000)],
  ['an id with an encoded slash', '..%2F..%2Fme'],
  ['an id with a NUL', '%00'],
  ['an id that is no UTF-8', '%E0%A4%A'],
  ['an id with a lonely percent sign', '%'],
]
for (const [situation, id] of unknown) {
  test(`404 not_found: ${situation}`, async () => {
    assertRefused(await read(id), 'not_found')
  })
}

test('404 not_found: a message of another workspace', async () => {
  const other = await api.workspace('other')
  assertRefused(await read(await send({}), other.key), 'not_found')
})
