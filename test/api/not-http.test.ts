/**
 * Bytes that are no request, and requests of no operation: every answer has the one error shape.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Log } from '../../src/ground/log.ts'
import { refusalOf } from '../../src/entrypoints/api/answer-unread.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { at } from '../support/json.ts'

const lines: { level: string; message: string }[] = []
const heard = new EventTarget()
const note =
  (level: string): Log['info'] =>
  (_fields, message) => {
    lines.push({ level, message })
    heard.dispatchEvent(new Event(message))
  }
const log: Log = {
  debug: note('debug'),
  info: note('info'),
  warn: note('warn'),
  error: note('error'),
}
const api = await startApi({ log })
const shop = await api.workspace('shop')
const { port, hostname } = new URL(api.baseUrl)
const close = 'Connection: close\r\n\r\n'

/** Says this on a connection of its own and answers all that comes back. */
async function say(text: string): Promise<string> {
  const socket = connect(Number(port), hostname)
  let heardBack = ''
  socket.setEncoding('utf8').on('data', (piece) => (heardBack += piece))
  socket.write(text)
  await once(socket, 'close')
  return heardBack
}

function assertEnvelope(situations: string, status: number, code: string): void {
  const [head = '', body = ''] = situations.split('\r\n\r\n')
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), situations)
  for (const name of [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ]) {
    assert.match(head, new RegExp(`^${name}: \\S+$`, 'im'))
  }
  const parsed: unknown = JSON.parse(body)
  assert.deepEqual(
    [at(parsed, 'error', 'code'), at(parsed, 'name'), at(parsed, 'statusCode')],
    [code, code, status],
  )
  assert.equal(at(parsed, 'message'), at(parsed, 'error', 'message'))
}

test('a refusal is in English on request, also where the call could not be read', async () => {
  for (const line of ['BREW /api/v1', 'CONNECT example.com:443']) {
    const message = async (language: string): Promise<unknown> => {
      const answer = await say(
        `${line} HTTP/1.1\r\nHost: x\r\nAccept-Language: ${language}\r\n${close}`,
      )
      return at(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), 'message')
    }
    assert.notEqual(await message('en'), await message('fr'), line)
  }
})

const malformed: [situation: string, text: string, status: number, code: string][] = [
  ['what is not HTTP', 'NONSENSE\r\n\r\n', 404, 'not_found'],
  [
    'a method that HTTP does not know',
    `BREW /api/v1 HTTP/1.1\r\nHost: x\r\n${close}`,
    404,
    'not_found',
  ],
  ['a method for tunnels', `CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`, 404, 'not_found'],
  [
    'asking for the server as a whole',
    `OPTIONS * HTTP/1.1\r\nHost: x\r\n${close}`,
    404,
    'not_found',
  ],
  ['octets of TLS', '\u0016\u0003\u0001\u0002\0\u0001\0\r\n\r\n', 404, 'not_found'],
  [
    'headers of more than 16 KB',
    `GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17_000)}\r\n${close}`,
    422,
    'validation_error',
  ],
  [
    'a path of more than 16 KB',
    `GET /api/v1/${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n${close}`,
    422,
    'validation_error',
  ],
  [
    'a header that is none',
    `GET /api/v1 HTTP/1.1\r\nHost: x\r\nbad header\r\n${close}`,
    422,
    'validation_error',
  ],
  [
    'a length that is none',
    `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n${close}`,
    422,
    'validation_error',
  ],
  [
    'a length beside pieces',
    `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n${close}`,
    422,
    'validation_error',
  ],
  ['no Host', `GET /api/v1/me HTTP/1.1\r\n${close}`, 400, 'validation_error'],
  ['an empty Host', `GET /api/v1/me HTTP/1.1\r\nHost:\r\n${close}`, 400, 'validation_error'],
  [
    'no Host, at an address of no operation',
    `GET /x HTTP/1.1\r\n${close}`,
    400,
    'validation_error',
  ],
  [
    'no Host, at an address that cannot be read',
    `GET /api/v1/emails/% HTTP/1.1\r\n${close}`,
    400,
    'validation_error',
  ],
  ['two Hosts', `GET /api/v1 HTTP/1.1\r\nHost: x\r\nhost: y\r\n${close}`, 400, 'validation_error'],
  [
    'the same Host twice',
    `GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\nHost: x\r\n${close}`,
    400,
    'validation_error',
  ],
  [
    'two Hosts in HTTP/1.0',
    `GET /api/v1 HTTP/1.0\r\nHost: x\r\nHost: y\r\n${close}`,
    400,
    'validation_error',
  ],
  [
    'an expectation nobody has',
    `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n${close}`,
    401,
    'missing_api_key',
  ],
]
for (const [situation, text, status, code] of malformed) {
  test(`${status} ${code}: ${situation}`, async () => {
    assertEnvelope(await say(text), status, code)
  })
}

test('200: HTTP/1.0 knows no Host, and needs none', async () => {
  assert.match(await say(`GET /api/v1 HTTP/1.0\r\n${close}`), /^HTTP\/1.1 200 /)
})

const bodies: [situation: string, head: string, body: string][] = [
  ['no body and no content type', '', ''],
  ['a body without a content type', 'Content-Length: 2\r\n', '{}'],
  ['a content type that is none', 'Content-Type: bad\r\nContent-Length: 2\r\n', '{}'],
  ['JSON', 'Content-Type: application/json\r\nContent-Length: 2\r\n', '{}'],
]
for (const method of [
  'QUERY',
  'OPTIONS',
  'PUT',
  'PROPFIND',
  'TRACE',
  'SOURCE',
  'M-SEARCH',
  'BREW',
  'CONNECT',
]) {
  test(`404 not_found: ${method}, with or without a body and its content type, without a line of error`, async () => {
    lines.length = 0
    for (const path of ['/api/v1/emails', '/', '/api/v1/nothing']) {
      for (const [situation, head, body] of bodies) {
        const answer = await say(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${head}${close}${body}`)
        assert.match(answer, /^HTTP\/1.1 404 /, `${path}: ${situation}`)
        assertEnvelope(answer, 404, 'not_found')
      }
    }
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error' || level === 'warn'),
      [],
    )
  })
}

test('100 Continue comes after the key was accepted and before the body; a refused caller gets the refusal alone', async () => {
  const mail = JSON.stringify({
    from: 'hello@shop.test',
    to: 'a@example.com',
    subject: 's',
    text: 't',
  })
  const head = (key: string, more = ''): string =>
    `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}Expect: 100-continue\r\n`
  for (const [situation, requested, status] of [
    ['no good key', `${head('nonsense')}Content-Length: ${mail.length}\r\n\r\n`, 401],
    [
      'no permission',
      `${head(await shop.makeKey(['campaigns:read']))}Content-Length: ${mail.length}\r\n\r\n`,
      403,
    ],
    ['a body that is too long', `${head(shop.key)}Content-Length: 99999999\r\n\r\n`, 422],
    [
      'a content type that is none',
      `${head(shop.key, 'Content-Type: text/plain\r\n')}Content-Length: 9\r\n\r\n`,
      422,
    ],
    [
      'no such address',
      `${head(shop.key).replace('emails', 'nothing')}Content-Length: 9\r\n\r\n`,
      404,
    ],
  ] as const) {
    const answer = await say(requested)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), situation)
    assert.doesNotMatch(answer, /100 Continue/, situation)
  }
  const socket = connect(Number(port), hostname)
  let heardBack = ''
  socket.setEncoding('utf8').on('data', (piece) => (heardBack += piece))
  socket.write(`${head(shop.key)}Connection: close\r\nContent-Length: ${mail.length}\r\n\r\n`)
  await once(socket, 'data')
  assert.equal(heardBack, 'HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(mail)
  await once(socket, 'close')
  assert.match(heardBack, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 202 /)
})

test('422 validation_error: a request that does not end in its time', () => {
  const { code, details } = refusalOf('ERR_HTTP_REQUEST_TIMEOUT')
  assert.deepEqual([code, details], ['validation_error', { path: '', rule: 'request_time' }])
})

test('a caller who leaves in the middle of a body gets no answer, and the log has no warning', async () => {
  const left = once(heard, 'caller left')
  const socket = connect(Number(port), hostname)
  const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\nContent-Length: 1000\r\n\r\n`
  socket.write(`${head}{"from":`, () => socket.resetAndDestroy())
  await left
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  )
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1'), 200)
})

test('200: the description has the rate headers too, counted by address', async () => {
  const first = await fetch(`${api.baseUrl}/api/v1/openapi.json`)
  const second = await fetch(`${api.baseUrl}/api/v1/openapi.json`)
  await Promise.all([first.text(), second.text()])
  const remaining = [first, second].map(({ headers }) =>
    Number(headers.get('x-ratelimit-remaining') ?? 'NaN'),
  )
  assert.equal(first.status, 200)
  assert.equal(first.headers.get('x-ratelimit-limit'), '600')
  assert.match(first.headers.get('x-ratelimit-reset') ?? '', /^\d+$/)
  assert.equal((remaining[0] ?? 0) - (remaining[1] ?? 0), 1)
})
