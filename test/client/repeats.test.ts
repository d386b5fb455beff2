/**
 * Which calls the client makes again, and when: against a server with scripted answers, over real
 * connections.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { FacteurError, createClient } from '../../client/src/index.ts'
import { errorBody, errorKinds, type ErrorCode } from '../../src/contract/errors.ts'
import { freePort } from '../support/free-port.ts'

type Answer = (response: ServerResponse) => void

let answers: Answer[] = []
let heard: { method: string | undefined; key: string | string[] | undefined }[] = []
const port = await freePort()
const server = createServer((request: IncomingMessage, response) => {
  heard.push({ method: request.method, key: request.headers['idempotency-key'] })
  request.resume().on('end', () => (answers.shift() ?? done)(response))
})
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
after(() => server.close().closeAllConnections())
beforeEach(() => {
  answers = []
  heard = []
})

const facteur = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' })
const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}

const done: Answer = (response) => response.end('{"id":"1"}')
const lost: Answer = (response) => response.destroy()
const refused =
  (code: ErrorCode, retryAfter?: number): Answer =>
  (response) =>
    response
      .writeHead(
        errorKinds[code].status,
        retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
      )
      .end(JSON.stringify(errorBody(code, {}, 'en')))
const proxyPage: Answer = (response) =>
  response.writeHead(502, 'Bad Gateway', { 'Retry-After': 0 }).end('<h1>Bad gateway</h1>')

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof FacteurError ? error.code : String(error)
}

test('429: any call waits for Retry-After and is made again, because nothing was done', async () => {
  answers = [refused('rate_limit_exceeded', 0)]
  await facteur.sendCampaign('1')
  assert.equal(heard.length, 2)
})

test('429 with more than a minute to wait is thrown at once', async () => {
  answers = [refused('rate_limit_exceeded', 61)]
  assert.equal(await codeOf(facteur.getAccount()), 'rate_limit_exceeded')
  assert.equal(heard.length, 1)
})

test('a send whose answer was lost is made again under the same key, which the client has made', async () => {
  answers = [lost, refused('internal_error', 0)]
  await facteur.sendEmail(mail)
  assert.equal(heard.length, 3)
  assert.equal(new Set(heard.map(({ key }) => key)).size, 1)
  assert.match(String(heard[0]?.key), /^[0-9a-f-]{36}$/)
})

test('a caller’s own key goes with every attempt', async () => {
  answers = [refused('internal_error', 0)]
  await facteur.sendEmailBatch([mail], { idempotencyKey: 'order-1042' })
  assert.deepEqual(
    heard.map(({ key }) => key),
    ['order-1042', 'order-1042'],
  )
})

test('a call that could act twice is not repeated', async () => {
  for (const [call, answer] of [
    [() => facteur.sendCampaign('1'), lost],
    [() => facteur.addSuppression({ email: 'a@example.com' }), refused('internal_error', 0)],
    [() => facteur.removeSubscriber('a@example.com'), proxyPage],
  ] as const) {
    heard = []
    answers = [answer]
    await assert.rejects(call())
    assert.equal(heard.length, 1)
  }
})

test('send_failed is a refusal of the provider: the call is not repeated', async () => {
  answers = [refused('send_failed')]
  assert.equal(await codeOf(facteur.sendEmail(mail)), 'send_failed')
  assert.equal(heard.length, 1)
})

test('the answer of a proxy is an internal_error with its status, after the last attempt', async () => {
  answers = [proxyPage, proxyPage, proxyPage]
  await assert.rejects(
    facteur.getAccount(),
    (error) =>
      error instanceof FacteurError && error.status === 502 && error.code === 'internal_error',
  )
  assert.equal(heard.length, 3)
})

test('nothing listens: the client throws the error of fetch', async () => {
  const nobody = createClient({
    baseUrl: `http://127.0.0.1:${await freePort()}`,
    apiKey: 'key',
    retries: 0,
  })
  await assert.rejects(nobody.getAccount(), { name: 'TypeError' })
})

test('a signal ends a call, and the waiting between two', async () => {
  const during = new AbortController()
  answers = [() => during.abort()]
  await assert.rejects(facteur.getAccount({ signal: during.signal }), { name: 'AbortError' })
  const between = new AbortController()
  answers = [
    (response) => {
      refused('rate_limit_exceeded', 30)(response)
      response.on('close', () => setImmediate(() => between.abort()))
    },
  ]
  await assert.rejects(facteur.getAccount({ signal: between.signal }), { name: 'AbortError' })
  await assert.rejects(facteur.getAccount({ signal: between.signal }), { name: 'AbortError' })
  assert.equal(heard.length, 2)
})

test('a page of something else where an answer was expected is a refusal, once', async () => {
  answers = [
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  ]
  const error = await facteur.getAccount().catch((thrown: unknown) => thrown)
  assert.ok(error instanceof FacteurError, String(error))
  assert.deepEqual(
    [error.status, error.code, error.details],
    [200, 'internal_error', { body: '<h1>Welcome</h1>' }],
  )
  assert.equal(heard.length, 1)
})
