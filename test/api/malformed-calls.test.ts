/**
 * Malformed calls: each answer has the one error shape, with the statuses of the table and no word
 * about what runs inside.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, type Requested } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const mail = '{"from":"hello@shop.test","to":"a@example.com","subject":"Bonjour","text":"Bonjour"}'
const send = (request: Requested) =>
  ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, ...request })

const types: [situation: string, type: string | null][] = [
  ['application/json', 'application/json'],
  ['a charset', 'application/json; charset=utf-8'],
  ['capitals', 'Application/JSON;charset=UTF-8'],
  ['a charset that is part of UTF-8', 'application/json; charset="us-ascii"'],
  ['none: it is read as JSON', null],
]
for (const [situation, type] of types) {
  test(`202: content type with ${situation}`, async () => {
    assertAnswered(await send({ raw: mail, type }), 202)
  })
}

const notJson: [situation: string, asked: Requested][] = [
  ['content type text/plain', { raw: mail, type: 'text/plain' }],
  ['content type of a form', { raw: 'from=hello', type: 'application/x-www-form-urlencoded' }],
  [
    'content type of a multipart form',
    { raw: '--x\r\n\r\n--x--', type: 'multipart/form-data; boundary=x' },
  ],
  ['a content type that is none', { raw: mail, type: 'nonsense' }],
  ['a charset that JSON has not', { raw: mail, type: 'application/json; charset=iso-8859-1' }],
  ['no body', {}],
  ['an empty body', { raw: '' }],
  ['an empty body without a content type', { raw: '', type: null }],
  ['half a JSON', { raw: '{"from":' }],
  ['JSON with something after it', { raw: `${mail} x` }],
  ['JSON with a comment', { raw: `/* hello */ ${mail}` }],
  ['NaN', { raw: '{"from":NaN}' }],
  [
    'octets that are no UTF-8',
    { raw: new Uint8Array([...Buffer.from(mail.slice(0, -2)), 0xff, 0xfe, 0x22, 0x7d]) },
  ],
  ['200,000 open brackets', { raw: '['.repeat(200_000) }],
]
for (const [situation, requested] of notJson) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await send(requested), 'validation_error')
  })
}

test('422 validation_error: a compressed body, and a plain one that claims to be compressed', async () => {
  for (const body of [gzipSync(mail), mail]) {
    const answer = await fetch(`${api.baseUrl}/api/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body,
    })
    assert.equal(answer.status, 422)
    assert.partialDeepStrictEqual(await answer.json(), {
      error: { details: { rule: 'content_encoding', expected: 'identity' } },
    })
  }
})

test('202: a byte order mark before the JSON is no reason to refuse, or 422 in the one shape', async () => {
  const answer = await send({ raw: new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(mail)]) })
  if (answer.status !== 202) assertRefused(answer, 'validation_error')
})

test('422 validation_error: a body of more than 30 MB', async () => {
  assertRefused(await send({ raw: Buffer.alloc(30 * 1024 * 1024 + 1, ' ') }), 'validation_error', {
    limit: 30 * 1024 * 1024,
  })
})

test('422 validation_error: a body without a length that turns out too long is answered, though it is still coming', async () => {
  const pieces = ReadableStream.from(Array.from({ length: 48 }, () => Buffer.alloc(64 * 1024, ' ')))
  const answer = await fetch(`${api.baseUrl}/api/v1/suppression`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    body: pieces,
    duplex: 'half',
  })
  assert.equal(answer.status, 422)
  assert.partialDeepStrictEqual(await answer.json(), {
    error: { code: 'validation_error', details: { limit: 256 * 1024 } },
  })
})

test('422 validation_error: keys that lie 5,000 levels deep', async () => {
  assertRefused(
    await send({
      raw: `${mail.slice(0, -1)},"tags":${'{"x":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    }),
    'validation_error',
    { rule: 'depth' },
  )
})

test('202: the same key twice: the last one counts, as JSON.parse has it', async () => {
  assertAnswered(await send({ raw: `{"subject":"First",${mail.slice(1)}` }), 202, {
    subject: 'Bonjour',
  })
})

const nowhere: [situation: string, line: string][] = [
  ['an unknown path', 'GET /api/v1/nothing'],
  ['an unknown path below a known one', 'GET /api/v1/me/nothing'],
  ['an unknown version', 'GET /api/v2/me'],
  ['a path in capitals', 'GET /API/V1/ME'],
  ['PUT where there is GET', 'PUT /api/v1/me'],
  ['DELETE where there is GET', 'DELETE /api/v1/emails/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  ['POST where there is GET', 'POST /api/v1/me'],
  ['PATCH where there is POST', 'PATCH /api/v1/emails'],
  ['a method of WebDAV', 'PROPFIND /api/v1/me'],
  ['a path that is no UTF-8', 'GET /api/v1/emails/%E0%A4%A'],
  ['a lonely percent sign', 'GET /api/v1/emails/%'],
  ['a path of 6,000 characters', `GET /api/v1/emails/${'x'.repeat(6_000)}`],
  ['a NUL in the path', 'GET /api/v1/emails/%00'],
]
for (const [situation, line] of nowhere) {
  test(`404 not_found: ${situation}`, async () => {
    assertRefused(await ask(api.baseUrl, line, { key: shop.key }), 'not_found')
  })
}

test('404 not_found: an unknown path without a key', async () => {
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/nothing'), 'not_found')
})

test('200: a query with odd escapes and names is read or ignored, never a failure', async () => {
  for (const query of [
    '?%',
    '?%E0%A4%A=1',
    '?__proto__=1&constructor=2',
    '?&&&===',
    `?x=${'y'.repeat(5_000)}`,
    '?limit[]=1',
  ]) {
    assertAnswered(await ask(api.baseUrl, `GET /api/v1/emails${query}`, { key: shop.key }), 200)
  }
})

test('422 validation_error: a query parameter that is no UTF-8', async () => {
  const answer = await ask(api.baseUrl, 'GET /api/v1/emails?recipient=%FF', { key: shop.key })
  assertRefused(answer, 'validation_error', { path: 'recipient' })
})
