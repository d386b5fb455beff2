/**
 * Files through the entry point of users: read no faster than they are taken, cut where they are
 * too long, shown where they can do nothing.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { test } from 'node:test'
import { ApiError } from '../../src/contract/errors.ts'
import { readFile } from '../../src/entrypoints/api/read-file.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const acme = await api.workspace('acme')
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('422 body_bytes: a file beyond its limit, said so or found out, and the connection still answers', async () => {
  const tooLong = Buffer.alloc(6 * 1024 * 1024)
  const line = 'POST /workspaces/acme/api/v1/images?name=x.png'
  assertRefused(await editor.ask(line, { raw: tooLong, type: 'image/png' }), 'validation_error', {
    rule: 'body_bytes',
  })
  const { hostname, port } = new URL(api.baseUrl)
  const call = request({
    ...{ hostname, port, method: 'POST', path: '/workspaces/acme/api/v1/images?name=x.png' },
    headers: {
      cookie: editor.cookie,
      origin: api.baseUrl,
      'content-type': 'image/png',
      'transfer-encoding': 'chunked',
    },
  })
  const answered = once(call, 'response')
  for (let sent = 0; sent < tooLong.length; sent += 65_536)
    call.write(tooLong.subarray(sent, sent + 65_536))
  call.end()
  const [response] = await answered
  assert.equal(response.statusCode, 422)
  let body = ''
  for await (const part of response) body += String(part)
  assert.equal(at(JSON.parse(body), 'error', 'details', 'rule'), 'body_bytes')
})

test('a file is cut at its limit while it comes, for any declared length, and the rest is drained', async (t) => {
  let taken = 0
  const server = createServer((incoming, response) => {
    const read = async (): Promise<void> => {
      for await (const part of readFile(incoming, 100_000)) taken += part.length
    }
    const report = (error: unknown) =>
      response.end(error instanceof ApiError ? String(error.details['rule']) : 'failed')
    void read().then(() => response.end('taken whole'), report)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close().closeAllConnections())
  const bound = server.address()
  const call = request({
    host: '127.0.0.1',
    port: typeof bound === 'object' ? bound?.port : 0,
    method: 'POST',
  })
  const answered = once(call, 'response')
  for (let part = 0; part < 50; part++) call.write(Buffer.alloc(10_000))
  call.end()
  const [response] = await answered
  let body = ''
  for await (const part of response) body += String(part)
  assert.equal(body, 'body_bytes')
  assert.ok(taken <= 100_000)
})

test('201: a picture goes in as it is, under any name', async () => {
  const answer = await editor.ask('POST /workspaces/acme/api/v1/images?name=dot.png', {
    raw: png,
    type: 'image/png',
  })
  assertAnswered(answer, 201)
})

test('HTML of others is shown in a sandbox that makes no request, unless the user wants its pictures', async () => {
  const html = '<script>alert(1)</script><img src="https://elsewhere.example/x.png"><p>Bonjour</p>'
  const mail = { from: 'hello@acme.test', to: 'ines@example.com', subject: 's', html }
  const id = textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body: mail }),
    'id',
  )
  const texts: string[] = []
  const shown = async (query: string): Promise<Headers> => {
    const path = `${api.baseUrl}/workspaces/acme/api/v1/messages/${id}/html${query}`
    const answer = await fetch(path, { headers: { cookie: editor.cookie } })
    assert.equal(answer.status, 200)
    texts.push(await answer.text())
    return answer.headers
  }
  const closed = await shown('')
  assert.match(closed.get('content-type') ?? '', /^text\/html/)
  assert.equal(closed.get('x-content-type-options'), 'nosniff')
  assert.equal(closed.get('cache-control'), 'no-store')
  assert.equal(
    closed.get('content-security-policy'),
    `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: ${new URL(api.baseUrl).host}/images/; frame-ancestors 'self'`,
  )
  assert.match(
    (await shown('?images=1')).get('content-security-policy') ?? '',
    /^sandbox; .*img-src data: https: http:; frame-ancestors 'self'$/,
  )
  assert.match(texts[0] ?? '', /<img><p>Bonjour<\/p>$/)
  assert.match(texts[1] ?? '', /<img src="https:\/\/elsewhere\.example\/x\.png"><p>Bonjour<\/p>$/)
})

test('a download has a file name, in any alphabet, and never opens in place', async () => {
  const bulk = '/workspaces/acme/api/v1/audience/bulk'
  const body = { selection: { matching: {} } }
  const id = textAt(await editor.ask(`POST ${bulk}/export`, { body }), 'id')
  const answer = await fetch(`${api.baseUrl}${bulk}/${id}/file`, {
    headers: { cookie: editor.cookie },
  })
  assert.equal(answer.status, 200)
  assert.match(
    answer.headers.get('content-disposition') ?? '',
    /^attachment; filename="[\w. -]+"; filename\*=UTF-8''\S+$/,
  )
  await answer.arrayBuffer()
})

test('429: a session has a rate of its own, and takes nothing from others', async () => {
  const [busy, calm] = [
    await signIn(api, { in: { [acme.id]: 'viewer' } }),
    await signIn(api, { in: { [acme.id]: 'viewer' } }),
  ]
  const sessionId = textAt(await busy.ask('GET /people/api/v1/session'), 'id')
  await api.run(
    `update public.request_rate set passed[array_upper(passed, 1)] = 600 where workspace_id = 0 and bucket = 'session ${sessionId}'`,
  )
  const braked = await busy.ask('GET /workspaces/acme/api/v1/me')
  assertRefused(braked, 'rate_limit_exceeded')
  assert.equal(at(braked.body, 'error', 'details', 'limit'), 600)
  assertAnswered(await calm.ask('GET /workspaces/acme/api/v1/me'), 200)
})
