/** `POST /emails/batch`: up to 100 messages, all or none of them, under one Idempotency-Key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}
const sendBatch = (body: unknown, headers: Record<string, string> = {}, key = shop.key) =>
  ask(api.baseUrl, 'POST /api/v1/emails/batch', { key, body, headers })

test('202: as many messages as were asked, in their order', async () => {
  const answer = await sendBatch([
    mail,
    { ...mail, subject: 'Second' },
    { ...mail, to: ['a@example.com', 'b@example.com'] },
  ])
  assertAnswered(answer, 202, {
    data: [
      { object: 'email', subject: 'Bonjour' },
      { object: 'email', subject: 'Second' },
      { object: 'email', to: ['a@example.com', 'b@example.com'] },
    ],
  })
  assert.deepEqual(Object.keys(Object(answer.body)), ['data'])
})

test('202: 100 messages', async () => {
  const before = await shop.messages()
  assertAnswered(await sendBatch(Array.from({ length: 100 }, () => mail)), 202)
  assert.equal(await shop.messages(), before + 100)
})

test('202: each message has its own time', async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const answer = await sendBatch([mail, { ...mail, scheduled_at: scheduledAt }])
  const read = (index: string) =>
    ask(api.baseUrl, `GET /api/v1/emails/${textAt(answer, 'data', index, 'id')}`, { key: shop.key })
  assertAnswered(await read('0'), 200, { scheduled_at: null })
  assertAnswered(await read('1'), 200, { scheduled_at: scheduledAt, last_event: 'scheduled' })
})

const refused: [situation: string, body: unknown, details: object][] = [
  ['no message', [], { path: '', rule: 'minItems', limit: 1 }],
  [
    '101 messages',
    Array.from({ length: 101 }, () => mail),
    { path: '', rule: 'maxItems', limit: 100 },
  ],
  ['an object', { emails: [mail] }, { path: '', rule: 'type' }],
  ['an entry that is null', [mail, null], { path: '1', rule: 'type' }],
  [
    'an entry without a subject',
    [mail, { ...mail, subject: undefined }],
    { path: '1.subject', rule: 'required' },
  ],
  [
    'an entry with a subject of 999 characters',
    [mail, mail, { ...mail, subject: 'x'.repeat(999) }],
    { path: '2.subject', rule: 'maxLength', limit: 998 },
  ],
  [
    'an entry with neither html nor text',
    [mail, { ...mail, text: '' }],
    { path: '1.html', rule: 'html_or_text' },
  ],
  [
    'an entry whose recipient is no address',
    [{ ...mail, to: ['a@example.com', 'nobody'] }],
    { path: '0.to.1', rule: 'address.missing_at' },
  ],
  [
    'an entry with a time long past',
    [mail, { ...mail, scheduled_at: '2020-01-01T00:00:00Z' }],
    { path: '1.scheduled_at', rule: 'in_the_past' },
  ],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}; nothing is sent`, async () => {
    const before = await shop.messages()
    assertRefused(await sendBatch(body), 'validation_error', details)
    assert.equal(await shop.messages(), before)
  })
}

test('422 validation_error: more than 10 MB of texts in all, and 202 of just less', async () => {
  const long = { ...mail, html: 'x'.repeat(400_000) }
  assertAnswered(await sendBatch(Array.from({ length: 26 }, () => long)), 202)
  assertRefused(await sendBatch(Array.from({ length: 27 }, () => long)), 'validation_error', {
    rule: 'text_bytes',
    limit: 10 * 1024 * 1024,
  })
})

test('422 unverified_from_domain: one of the senders; nothing is sent', async () => {
  const before = await shop.messages()
  assertRefused(
    await sendBatch([mail, { ...mail, from: 'x@elsewhere.test' }]),
    'unverified_from_domain',
    {
      from: 'x@elsewhere.test',
    },
  )
  assert.equal(await shop.messages(), before)
})

test('422 suppressed_recipient: one of the recipients; nothing is sent and nothing debited', async () => {
  await shop.suppress('gone@example.com', 'complaint')
  const before = await shop.messages()
  assertRefused(
    await sendBatch([mail, { ...mail, cc: 'gone@example.com' }]),
    'suppressed_recipient',
    {
      recipients: [{ email: 'gone@example.com', reason: 'complaint', scope: 'organization' }],
    },
  )
  assert.equal(await shop.messages(), before)
})

test('402 quota_exceeded: the batch needs more than is left; nothing is sent, and a smaller one passes', async () => {
  const small = await api.workspace('small-batch', { monthlyQuota: 3 })
  const own = { ...mail, from: `hello@${small.domain}` }
  assertRefused(
    await sendBatch([own, own, { ...own, cc: ['c@example.com', 'd@example.com'] }], {}, small.key),
    'quota_exceeded',
  )
  assert.equal(await small.messages(), 0)
  assertAnswered(await sendBatch([own, { ...own, cc: 'c@example.com' }], {}, small.key), 202)
})

test('403 reputation_blocked: nothing is sent', async () => {
  const damaged = await api.workspace('damaged-batch')
  await damaged.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  assertRefused(
    await sendBatch([{ ...mail, from: `hello@${damaged.domain}` }], {}, damaged.key),
    'reputation_blocked',
  )
})

test('202: one key for the whole; the same batch again is a replay, another is 409 idempotency_key_reused', async () => {
  const headers = { 'idempotency-key': 'batch' }
  const first = await sendBatch([mail, { ...mail, subject: 'Second' }], headers)
  assertAnswered(first, 202)
  const second = await sendBatch([mail, { ...mail, subject: 'Second' }], headers)
  assert.equal(second.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(second.body, first.body)
  assertRefused(
    await sendBatch([{ ...mail, subject: 'Second' }, mail], headers),
    'idempotency_key_reused',
  )
  assertRefused(await sendBatch([mail], headers), 'idempotency_key_reused')
})

test('409 idempotency_key_reused: a single message and a batch of the same one', async () => {
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/emails', {
      key: shop.key,
      body: mail,
      headers: { 'idempotency-key': 'form' },
    }),
    202,
  )
  assertRefused(await sendBatch([mail], { 'idempotency-key': 'form' }), 'idempotency_key_reused')
})

test('202: twenty concurrent twins of a batch get the same messages', async () => {
  const before = await shop.messages()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendBatch([mail, mail], { 'idempotency-key': 'batch-twins' })),
  )
  for (const answer of answers) assertAnswered(answer, 202)
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
  assert.equal(await shop.messages(), before + 2)
})
