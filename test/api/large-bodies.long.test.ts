/** Files of megabytes as lists of their bytes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Bonjour', text: 'Bonjour' }
const start = JSON.stringify(mail).slice(0, -1)
const send = (raw: string, path = '') =>
  ask(api.baseUrl, `POST /api/v1/emails${path}`, { key: shop.key, raw })

test('202: a file of 6.8 MB as a list of its bytes, as SDKs of Python, Go and Rust send it, arrives whole', async () => {
  const content = randomBytes(6_800_000)
  const body = `${start},"attachments":[{"filename":"a.bin","content":${JSON.stringify([...content])}}]}`
  assert.ok(body.length > 24_000_000 && body.length < 30 * 1024 * 1024, `${body.length}`)
  const answer = await send(body)
  assertAnswered(answer, 202)
  const [raw] = await shop.capturedMails(textAt(answer, 'id'), 1)
  const sent = raw?.toString('latin1').replaceAll('\r\n', '') ?? ''
  assert.ok(sent.includes(content.toString('base64')), 'the file is not in the mail')
})

test('422 validation_error: lists of bytes count as attachments, of which 20 MB in all are taken', async () => {
  const zeros = (bytes: number): string => `[${'0,'.repeat(bytes - 1)}0]`
  const rest = Buffer.alloc(10 * 1024 * 1024).toString('base64')
  const body = (bytes: number): string =>
    `${start},"attachments":[{"content":${zeros(bytes)}},{"content":{"type":"Buffer","data":[0]}},{"content":"${rest}"},{"content":"${'AAAA'.repeat(2 * 1024 * 1024)}"}]}`
  assert.equal((await send(body(4 * 1024 * 1024 - 1))).status, 202)
  const over = await send(body(4 * 1024 * 1024))
  assertRefused(over, 'validation_error', { rule: 'attachment_bytes', limit: 20 * 1024 * 1024 })
})
