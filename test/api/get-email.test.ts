/** `GET /emails/{id}`: the message, and what became of it for each recipient. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = { from: 'Boutique <hello@shop.test>', to: 'camille@example.com', subject: 'Bonjour', text: 'Bonjour' }
const send = async (body: object): Promise<string> =>
  textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: { ...mail, ...body } }), 'id')
const read = (id: string, key = shop.key) => ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key })

test('200: everything that was sent, as it was meant', async () => {
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
