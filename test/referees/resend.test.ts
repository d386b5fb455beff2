/**
 * The unmodified `resend` SDK, pointed at us by its own environment variable: what its users write
 * works as it stands.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { Resend } from 'resend'
import { errorKinds, type ErrorCode } from '../../src/contract/errors.ts'
import { startApi } from '../support/api.ts'
import { wellDone } from '../support/sdk-answers.ts'

const api = await startApi()
process.env['RESEND_BASE_URL'] = `${api.baseUrl}/api/v1`
const shop = await api.workspace('shop')
const resend = new Resend(shop.key)

const mail = {
  from: 'Boutique <hello@shop.test>',
  to: 'camille@example.com',
  subject: 'Bonjour',
  html: '<p>Bonjour</p>',
}

/** The SDK hands our error on, under the names that its users read. */
async function refused(
  call: Promise<{
    data: unknown
    error: { name: string; message: string; statusCode: number | null } | null
  }>,
  code: ErrorCode,
) {
  const { data, error } = await call
  assert.equal(data, null)
  assert.equal(error?.name, code)
  assert.equal(error?.statusCode, errorKinds[code].status)
  assert.ok(error.message.length > 10)
}

test('send: every field that the SDK knows arrives in the mail', async () => {
  const { id } = await wellDone(
    resend.emails.send({
      ...mail,
      to: ['camille@example.com', 'Inès <ines@example.com>'],
      cc: 'cc@example.com',
      bcc: ['bcc@example.com'],
      replyTo: ['answers@example.com', 'Other <other@example.com>'],
      subject: 'Votre commande n° 1042 ✓',
      text: 'Bonjour Camille',
      headers: { 'X-Order': '1042' },
      tags: [{ name: 'order', value: '1042' }],
      attachments: [
        { filename: 'reçu.txt', content: Buffer.from('Merci !') },
        {
          filename: 'logo.png',
          content: 'iVBORw0KGgo=',
          contentType: 'image/png',
          contentId: 'logo',
        },
      ],
    }),
  )
  const mails = await shop.capturedMails(id, 4)
  for (const raw of mails) {
    const parsed = await PostalMime.parse(raw)
    assert.equal(parsed.subject, 'Votre commande n° 1042 ✓')
    assert.deepEqual(parsed.from, { name: 'Boutique', address: 'hello@shop.test' })
    assert.deepEqual(
      parsed.to?.map(({ address }) => address),
      ['camille@example.com', 'ines@example.com'],
    )
    assert.deepEqual(
      parsed.cc?.map(({ address }) => address),
      ['cc@example.com'],
    )
    assert.equal(parsed.bcc, undefined)
    assert.deepEqual(
      parsed.replyTo?.map(({ address }) => address),
      ['answers@example.com', 'other@example.com'],
    )
    assert.equal(parsed.text?.trim(), 'Bonjour Camille')
    assert.equal(parsed.html?.trim(), '<p>Bonjour</p>')
    assert.equal(parsed.headers.find(({ key }) => key === 'x-order')?.value, '1042')
    const files = parsed.attachments.map(({ filename, mimeType, content }) => [
      filename,
      mimeType,
      Buffer.from(asBytes(content)).toString('latin1'),
    ])
    assert.deepEqual(files.toSorted(), [
      ['logo.png', 'image/png', Buffer.from('iVBORw0KGgo=', 'base64').toString('latin1')],
      ['reçu.txt', 'text/plain', Buffer.from('Merci !').toString('latin1')],
    ])
    assert.equal(
      parsed.attachments.find(({ filename }) => filename === 'logo.png')?.contentId,
      '<logo>',
    )
    assert.doesNotMatch(raw.toString('latin1'), /order=|bcc@example/i)
  }
})

const asBytes = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)

test('send: an idempotency key gives the same message twice', async () => {
  const first = await resend.emails.send(mail, { idempotencyKey: 'order-1042' })
  const second = await resend.emails.send(mail, { idempotencyKey: 'order-1042' })
  assert.ok(first.data?.id)
  assert.equal(second.data?.id, first.data.id)
  assert.equal(first.headers?.['idempotent-replay'], undefined)
  assert.equal(second.headers?.['idempotent-replay'], 'true')
})

test('get: the message as it was sent, with the last thing that happened to it', async () => {
  const { id } = await wellDone(
    resend.emails.send({ ...mail, cc: ['cc@example.com'], replyTo: 'answers@example.com' }),
  )
  await shop.capturedMails(id, 2)
  const read = await wellDone(resend.emails.get(id))
  assert.equal(read.object, 'email')
  assert.equal(read.id, id)
  assert.deepEqual(read.to, ['camille@example.com'])
  assert.deepEqual(read.cc, ['cc@example.com'])
  assert.deepEqual(read.reply_to, ['answers@example.com'])
  assert.equal(read.html, '<p>Bonjour</p>')
  assert.ok(['queued', 'sent', 'delivered'].includes(read.last_event))
})

test('list: newest first, with the SDK’s own way through the pages', async () => {
  const sent: string[] = []
  for (let n = 0; n < 3; n++) sent.push((await wellDone(resend.emails.send(mail))).id)
  const first = await wellDone(resend.emails.list({ limit: 1 }))
  assert.equal(first.object, 'list')
  assert.equal(first.has_more, true)
  assert.equal(first.data[0]?.id, sent[2])
  const next = await wellDone(resend.emails.list({ limit: 2, after: sent[2] ?? '' }))
  assert.deepEqual(
    next.data.map(({ id }) => id),
    [sent[1], sent[0]],
  )
  const back = await wellDone(resend.emails.list({ limit: 2, before: sent[0] ?? '' }))
  assert.deepEqual(
    back.data.map(({ id }) => id),
    [sent[2], sent[1]],
  )
})

test('update and cancel: a message that waits for its time', async () => {
  const { id } = await wellDone(resend.emails.send({ ...mail, scheduledAt: inHours(1) }))
  assert.equal((await wellDone(resend.emails.get(id))).last_event, 'scheduled')
  const later = inHours(2)
  assert.deepEqual(await wellDone(resend.emails.update({ id, scheduledAt: later })), {
    ...{ object: 'email', id, scheduled_at: later },
  })
  assert.equal((await wellDone(resend.emails.get(id))).scheduled_at, later)
  assert.deepEqual(await wellDone(resend.emails.cancel(id)), { object: 'email', id })
  assert.equal((await wellDone(resend.emails.get(id))).last_event, 'canceled')
  await refused(resend.emails.cancel(id), 'conflict')
})

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

test('batch: one id for each message, in their order; the same key gives the same ids', async () => {
  const messages = [mail, { ...mail, to: 'ines@example.com', subject: 'Second' }]
  const first = await wellDone(resend.batch.send(messages, { idempotencyKey: 'batch-1042' }))
  assert.equal(first.data.length, 2)
  assert.equal((await wellDone(resend.emails.get(first.data[1]?.id ?? ''))).subject, 'Second')
  const second = await wellDone(resend.batch.send(messages, { idempotencyKey: 'batch-1042' }))
  assert.deepEqual(
    second.data.map(({ id }) => id),
    first.data.map(({ id }) => id),
  )
})

test('the error object: 401, for every fault of the key', async () => {
  const revoked = await shop.makeKey(['emails:send'])
  await shop.revokeKey(revoked)
  await refused(new Resend('re_123').emails.send(mail), 'invalid_api_key')
  await refused(new Resend(revoked).emails.send(mail), 'revoked_api_key')
})

test('the error object: 402 quota_exceeded', async () => {
  const small = await api.workspace('small', { monthlyQuota: 0 })
  await refused(
    new Resend(small.key).emails.send({ ...mail, from: `hello@${small.domain}` }),
    'quota_exceeded',
  )
})

test('the error object: 403 insufficient_scope and reputation_blocked', async () => {
  await refused(
    new Resend(await shop.makeKey(['subscribers:read'])).emails.send(mail),
    'insufficient_scope',
  )
  const damaged = await api.workspace('damaged')
  await damaged.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  await refused(
    new Resend(damaged.key).emails.send({ ...mail, from: `hello@${damaged.domain}` }),
    'reputation_blocked',
  )
})

test('the error object: 404 not_found', async () => {
  await refused(resend.emails.get('019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'), 'not_found')
})

test('the error object: 409 idempotency_key_reused', async () => {
  await wellDone(resend.emails.send(mail, { idempotencyKey: 'reused' }))
  await refused(
    resend.emails.send({ ...mail, subject: 'Other' }, { idempotencyKey: 'reused' }),
    'idempotency_key_reused',
  )
})

test('the error object: 422 for a field, a domain, a recipient', async () => {
  await refused(resend.emails.send({ ...mail, to: 'nobody' }), 'validation_error')
  await refused(
    resend.emails.send({ ...mail, from: 'hello@elsewhere.test' }),
    'unverified_from_domain',
  )
  await shop.suppress('gone@example.com', 'complaint')
  await refused(resend.emails.send({ ...mail, to: 'gone@example.com' }), 'suppressed_recipient')
  await refused(
    resend.batch.send([mail, { ...mail, to: 'gone@example.com' }]),
    'suppressed_recipient',
  )
})

test('the error object: 429 rate_limit_exceeded, with Retry-After in its headers', async () => {
  const slow = await api.workspace('slow', { ratePerMinute: 1 })
  const client = new Resend(slow.key)
  await wellDone(client.emails.list())
  await refused(client.emails.list(), 'rate_limit_exceeded')
  assert.ok(Number((await client.emails.list()).headers?.['retry-after']) > 0)
})

test('the error object: 502 send_failed', async () => {
  await refused(resend.emails.send({ ...mail, to: 'refused@simulator.test' }), 'send_failed')
})
