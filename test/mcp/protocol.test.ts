/**
 * `/api/mcp` as the protocol's revisions describe it: methods, key, origin, revisions of both eras,
 * notifications, batches.
 */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { apiOperationIds } from '../../src/contract/operations.ts'
import { ask, assertRefused, textAt } from '../support/ask.ts'
import { at, keysAt } from '../support/json.ts'
import { clientOf, codeOf, message, post, startMcpApi, statelessMeta } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')
const [handshake, stateless] = [
  clientOf(api.baseUrl, shop.key),
  clientOf(api.baseUrl, shop.key, 'stateless'),
]
const send = (body: string, headers: Record<string, string> = {}) =>
  post(api.baseUrl, body, { key: shop.key, headers })

/** A request with any Host, which fetch does not let us say. */
const postAs = (host: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.baseUrl)
    const request = httpRequest({
      ...{ hostname, port, path: '/api/mcp', method: 'POST' },
      headers: {
        host,
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        ...headers,
      },
    })
    request.on('error', reject).on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.end(message('ping'))
  })

for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'QUERY']) {
  test(`405 to ${method}, with Allow and the envelope of all errors; no stream is opened`, async () => {
    const answer = await ask(api.baseUrl, `${method} /api/mcp`, {
      key: shop.key,
      headers: { accept: 'text/event-stream' },
    })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'POST')
    assertRefused(answer, 'method_not_allowed', { method, allowed: ['POST'] })
    assert.match(textAt(answer, 'message'), /POST/)
  })
}

test('401 in the envelope, with WWW-Authenticate: Bearer, for a missing, unknown or revoked key', async () => {
  const revoked = await shop.makeKey([])
  await shop.revokeKey(revoked)
  for (const [key, code] of [
    [undefined, 'missing_api_key'],
    ['nonsense', 'invalid_api_key'],
    [api.unknownKey(shop), 'invalid_api_key'],
    [revoked, 'revoked_api_key'],
  ] as const) {
    const answer = await ask(api.baseUrl, 'POST /api/mcp', {
      ...(key !== undefined && { key }),
      raw: message('initialize'),
    })
    assertRefused(answer, code)
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="Facteur"/)
  }
})

test('401 missing_api_key for a key in X-Api-Key alone; beside Authorization it is not looked at', async () => {
  const alone = await ask(api.baseUrl, 'POST /api/mcp', {
    headers: { 'x-api-key': shop.key },
    raw: message('ping'),
  })
  assertRefused(alone, 'missing_api_key')
  const other = await api.workspace('named')
  assert.equal((await send(message('ping'), { 'x-api-key': other.key })).status, 200)
})

test('404 in the envelope for everything under /.well-known/: there is no authorization server to find', async () => {
  for (const name of [
    'oauth-authorization-server',
    'oauth-protected-resource',
    'oauth-protected-resource/api/mcp',
    'x',
  ]) {
    assertRefused(await ask(api.baseUrl, `GET /.well-known/${name}`), 'not_found')
  }
})

for (const origin of [
  'https://evil.example',
  'null',
  'file://',
  'http://127.0.0.1:1',
  'nonsense',
  '',
]) {
  test(`403 to the origin "${origin}", before the key is looked at`, async () => {
    assert.equal((await send(message('ping'), { origin })).status, 403)
    assert.equal((await ask403({ origin })).status, 403)
  })
}
const ask403 = (headers: Record<string, string>) => post(api.baseUrl, message('ping'), { headers })

test('403 to our own name under the other scheme, on loopback too', async () => {
  assert.equal(
    (await send(message('ping'), { origin: api.baseUrl.replace('http:', 'https:') })).status,
    403,
  )
})

test('200 to our own origin, and to none', async () => {
  assert.equal((await send(message('ping'), { origin: api.baseUrl })).status, 200)
  assert.equal((await send(message('ping'))).status, 200)
})

test('403 to a foreign name that was rebound to this machine; 200 to ours, to addresses and to names without a dot', async () => {
  const { port } = new URL(api.baseUrl)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a@evil.example',
  ]) {
    assert.equal(await postAs(host), 403, host)
    assert.equal(await postAs(host, { origin: `http://${host}` }), 403, host)
  }
  for (const host of [
    `127.0.0.1:${port}`,
    'localhost',
    `localhost:${port}`,
    '[::1]:3025',
    '192.168.1.7',
    'facteur:3025',
  ]) {
    assert.equal(await postAs(host), 200, host)
    assert.equal(await postAs(host, { origin: `http://${host}` }), 200, host)
  }
})

test('initialize agrees on the revision that the client speaks, else on the newest that has a handshake', async () => {
  for (const [requested, agreed] of [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    [undefined, '2025-11-25'],
  ]) {
    const { status, body } = await send(
      message('initialize', { protocolVersion: requested, capabilities: {} }),
    )
    assert.equal(status, 200)
    assert.equal(at(body, 'result', 'protocolVersion'), agreed)
    assert.equal(at(body, 'result', 'serverInfo', 'name'), 'facteur')
    assert.deepEqual(keysAt(body, 'result', 'capabilities'), ['tools', 'resources', 'prompts'])
    assert.match(
      textAt({ status, headers: new Headers(), body }, 'result', 'instructions'),
      /service:\/\/docs/,
    )
  }
})

test('handshake era: the header names a revision that is served, or is absent; else 400', async () => {
  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    assert.equal(
      (await send(message('tools/list'), { 'mcp-protocol-version': revision })).status,
      200,
    )
  }
  assert.equal((await send(message('tools/list'))).status, 200)
  const unknown = await send(message('tools/list'), { 'mcp-protocol-version': '2024-11-05' })
  assert.deepEqual([unknown.status, codeOf(unknown)], [400, -32022])
  const notification = await send('{"jsonrpc":"2.0","method":"notifications/initialized"}', {
    'mcp-protocol-version': 'x',
  })
  assert.equal(notification.status, 400)
})

test('handshake era: -32601 with 200 for a method that is not there, -32002 for a resource that is not there', async () => {
  const unknown = await handshake.request('logging/setLevel', { level: 'debug' })
  assert.deepEqual([unknown.status, codeOf(unknown)], [200, -32601])
  assert.equal(codeOf(await handshake.request('server/discover')), -32601)
  const absent = await handshake.request('resources/read', { uri: 'service://other' })
  assert.deepEqual(
    [absent.status, codeOf(absent), at(absent.body, 'error', 'data', 'uri')],
    [200, -32002, 'service://other'],
  )
})

test('stateless era: server/discover lists the revisions of both eras, and every result names its type and server', async () => {
  const { status, body } = await stateless.request('server/discover')
  assert.equal(status, 200)
  assert.deepEqual(at(body, 'result', 'supportedVersions'), [
    '2026-07-28',
    '2025-11-25',
    '2025-06-18',
    '2025-03-26',
  ])
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['resources/read', { uri: 'service://docs' }],
  ] as const) {
    const { body: answered } = await stateless.request(method, params)
    assert.equal(at(answered, 'result', 'resultType'), 'complete', method)
    assert.equal(
      at(answered, 'result', '_meta', 'io.modelcontextprotocol/serverInfo', 'name'),
      'facteur',
    )
    assert.equal(at(answered, 'result', 'cacheScope'), 'public')
    assert.ok(Number(at(answered, 'result', 'ttlMs')) > 0)
  }
  const called = await stateless.request('tools/call', { name: 'get_account' })
  assert.equal(at(called.body, 'result', 'resultType'), 'complete')
})

test('stateless era: 404 with -32601 for methods that the revision removed, and for unknown ones', async () => {
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'subscriptions/listen',
    'x',
    '__proto__',
  ]) {
    const answer = await stateless.request(method)
    assert.deepEqual(
      [answer.status, codeOf(answer), at(answer.body, 'id')],
      [404, -32601, 1],
      method,
    )
  }
})

test('stateless era: 400 with -32602 without the fields that every request must have', async () => {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...incapable } = statelessMeta
  for (const params of [undefined, {}, { _meta: {} }, { _meta: 'x' }, { _meta: incapable }]) {
    const answer = await send(message('tools/list', params), headers)
    assert.deepEqual([answer.status, codeOf(answer), at(answer.body, 'id')], [400, -32602, 1])
  }
})

test('stateless era: 400 with -32022 and the revisions served for one that is not', async () => {
  const _meta = { ...statelessMeta, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
  const answer = await send(message('tools/list', { _meta }), {
    'mcp-protocol-version': '2027-01-01',
    'mcp-method': 'tools/list',
  })
  assert.deepEqual([answer.status, codeOf(answer)], [400, -32022])
  assert.equal(at(answer.body, 'error', 'data', 'requested'), '2027-01-01')
  assert.deepEqual(keysAt(answer.body, 'error', 'data', 'supported').length, 4)
})

const read = { uri: 'service://docs' }
for (const [situation, method, params, headers] of [
  ['without a revision', 'tools/list', {}, { 'mcp-protocol-version': '' }],
  [
    'with the revision of the other era',
    'tools/list',
    {},
    { 'mcp-protocol-version': '2025-11-25' },
  ],
  ['without the method', 'tools/list', {}, { 'mcp-method': '' }],
  ['with another method', 'tools/call', { name: 'get_account' }, { 'mcp-method': 'tools/list' }],
  ['with the method in capitals', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }],
  ['with another tool', 'tools/call', { name: 'send_email' }, { 'mcp-name': 'get_account' }],
  ['with another resource', 'resources/read', read, { 'mcp-name': 'service://other' }],
  ['with a name that is badly encoded', 'resources/read', read, { 'mcp-name': '=?base64?!!!?=' }],
] as const) {
  test(`stateless era: 400 with -32020 for headers ${situation}: nothing is done`, async () => {
    const answer = await stateless.request(method, params, headers)
    assert.deepEqual([answer.status, codeOf(answer), at(answer.body, 'id')], [400, -32020, 1])
  })
}

const statelessHeaders = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'resources/read',
  'mcp-name': 'service://docs',
}
for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const) {
  test(`stateless era: 400 with -32020 where the header ${name} is not there at all: nothing is done`, async () => {
    const { [name]: _, ...headers } = statelessHeaders
    const answer = await send(message('resources/read', { ...read, _meta: statelessMeta }), headers)
    assert.deepEqual([answer.status, codeOf(answer), at(answer.body, 'id')], [400, -32020, 1])
    assert.equal(
      (await send(message('resources/read', { ...read, _meta: statelessMeta }), statelessHeaders))
        .status,
      200,
    )
  })
}

test('stateless era: a name that came encoded is the name', async () => {
  const encoded = `=?base64?${Buffer.from('service://docs').toString('base64')}?=`
  assert.equal(
    (await stateless.request('resources/read', read, { 'mcp-name': encoded })).status,
    200,
  )
})

test('service://docs is the whole reference, with each operation and its listed size', async () => {
  const { body } = await handshake.request('resources/list')
  assert.equal(at(body, 'result', 'resources', '0', 'uri'), 'service://docs')
  const answer = await handshake.request('resources/read', { uri: 'service://docs' })
  assert.equal(at(answer.body, 'result', 'contents', '0', 'mimeType'), 'text/markdown')
  const text = String(at(answer.body, 'result', 'contents', '0', 'text'))
  for (const id of apiOperationIds) assert.ok(text.includes(id), `${id} is not in it`)
  assert.equal(at(body, 'result', 'resources', '0', 'size'), Buffer.byteLength(text))
})

test('202 without a body to notifications and to unrequested answers', async () => {
  for (const body of [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"x"}}',
  ]) {
    const answer = await send(body)
    assert.deepEqual([answer.status, answer.body], [202, undefined])
  }
})

test('400 to a request without an id, and nothing is done: no caller could match the answer', async () => {
  const before = await shop.messages()
  const params = {
    name: 'send_email',
    arguments: { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' },
  }
  const answer = await send(JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params }))
  assert.deepEqual([answer.status, codeOf(answer)], [400, -32600])
  assert.equal(await shop.messages(), before)
})

test('a batch of 2025-03-26 is answered entry by entry, without an answer to notifications', async () => {
  const batch = `[${message('ping', {}, 'a')},{"jsonrpc":"2.0","method":"notifications/initialized"},${message('x', {}, 2)},7]`
  const { status, body } = await send(batch)
  assert.equal(status, 200)
  assert.ok(Array.isArray(body))
  assert.deepEqual(
    body.map((entry) => [at(entry, 'id'), at(entry, 'error', 'code')]),
    [
      ['a', undefined],
      [2, -32601],
      [undefined, -32600],
    ],
  )
  assert.equal((await send('[{"jsonrpc":"2.0","method":"notifications/initialized"}]')).status, 202)
})

test('400 to a batch in a revision that has none, to an empty one and to a long one', async () => {
  const entry = `[${message('ping')}]`
  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    assert.equal((await send(entry, { 'mcp-protocol-version': revision })).status, 400, revision)
  }
  assert.equal((await send('[]')).status, 400)
  assert.equal(
    (await send(`[${Array.from({ length: 21 }, () => message('ping')).join()}]`)).status,
    400,
  )
})

test('the map of the API names the address for agents', async () => {
  const { body } = await ask(api.baseUrl, 'GET /api/v1')
  assert.equal(at(body, 'mcp'), `${api.baseUrl}/api/mcp`)
})

test('service://docs/{topic}: every chapter is listed, is read, and together they are the whole reference', async () => {
  const list = await handshake.request('resources/list')
  const uris = keysAt(list.body, 'result', 'resources').map((location) =>
    String(at(list.body, 'result', 'resources', location, 'uri')),
  )
  assert.equal(uris[0], 'service://docs')
  for (const uri of ['errors', 'e-mails', 'campaigns', 'request-rate'])
    assert.ok(uris.includes(`service://docs/${uri}`), uri)
  assert.equal(new Set(uris).size, uris.length)
  const textOf = async (uri: string): Promise<string> =>
    String(
      at(
        (await handshake.request('resources/read', { uri })).body,
        'result',
        'contents',
        '0',
        'text',
      ),
    )
  const whole = await textOf('service://docs')
  let parts = ''
  for (const uri of uris.slice(1)) parts += await textOf(uri)
  assert.ok(whole.endsWith(parts) && parts.length > whole.length / 2)
  const templates = await handshake.request('resources/templates/list')
  assert.equal(
    at(templates.body, 'result', 'resourceTemplates', '0', 'uriTemplate'),
    'service://docs/{topic}',
  )
  assert.equal(
    codeOf(await handshake.request('resources/read', { uri: 'service://docs/nothing' })),
    -32002,
  )
})

test('arguments that a tool does not have are named in its result, beside what it answers', async () => {
  const arguments_ = {
    email: 'i@example.com',
    double_opt_in: false,
    nickname: 'x',
    shoe_size: 'y',
    nothing: null,
  }
  const answer = await handshake.request('tools/call', {
    name: 'add_subscriber',
    arguments: arguments_,
  })
  assert.equal(at(answer.body, 'result', 'isError'), undefined)
  const output = 'Ignored, because this tool has no such argument: "nickname", "shoe_size".'
  assert.equal(at(answer.body, 'result', 'content', '1', 'text'), output)
  const plain = await handshake.request('tools/call', {
    name: 'add_subscriber',
    arguments: { email: 'i@example.com', prenom: 'I' },
  })
  assert.equal(keysAt(plain.body, 'result', 'content').length, 1)
})

test('arguments of a call that was refused are not called ignored, with a body or without', async () => {
  for (const [name, wrong] of [
    ['get_account', { nickname: 'x' }],
    ['add_subscriber', { email: 'nobody', nickname: 'x' }],
  ] as const) {
    const { body } = await handshake.request('tools/call', { name, arguments: wrong })
    assert.equal(at(body, 'result', 'isError'), true, name)
    assert.equal(keysAt(body, 'result', 'content').length, 1, name)
  }
})
