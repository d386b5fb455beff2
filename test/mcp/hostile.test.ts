/**
 * Hostile JSON, ids, names and sizes: nothing breaks, nothing is done, and every answer has a
 * defined shape.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { ask, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf, codeOf, message, post, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')
const reader = await shop.makeKey(['campaigns:read'])
const client = clientOf(api.baseUrl, shop.key)
const send = (body: string | Uint8Array<ArrayBuffer>) => post(api.baseUrl, body, { key: shop.key })
const toolCall = (name: string, args: unknown) => message('tools/call', { name, arguments: args })

const noMessages: [situation: string, body: string | Uint8Array<ArrayBuffer>, code: number][] = [
  ['nothing', '', -32600],
  ['no JSON', '{', -32700],
  [
    'octets that are no UTF-8',
    new Uint8Array([...Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), 0xff, 0x22, 0x7d]),
    -32700,
  ],
  ['a text', '"ping"', -32600],
  ['null', 'null', -32600],
  ['an object', '{}', -32600],
  ['JSON-RPC 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
  ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', -32600],
  ['an id that is null', message('ping', {}, null), -32600],
  ['an id that is a fraction', message('ping', {}, 1.5), -32600],
  [
    'an id beyond what a number can tell',
    '{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}',
    -32600,
  ],
  ['an id beyond all numbers', '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600],
  ['an id that is an object', message('ping', {}, { x: 1 }), -32600],
  ['an id of a million letters', message('ping', {}, 'x'.repeat(1_000_000)), -32600],
  ['300,000 open brackets', '['.repeat(300_000), -32600],
  ['300,000 empty objects', `[${'{},'.repeat(300_000)}{}]`, -32600],
  ['a batch of 100,000 calls', `[${`${toolCall('get_account', {})},`.repeat(100_000)}{}]`, -32600],
]
for (const [situation, body, code] of noMessages) {
  test(`400 with ${code}: ${situation}`, async () => {
    const answer = await send(body)
    assert.deepEqual(
      [answer.status, codeOf(answer)],
      [400, code],
      JSON.stringify(answer.body).slice(0, 300),
    )
  })
}

test('400: a content type that is not JSON', async () => {
  const answer = await post(api.baseUrl, message('ping'), {
    key: shop.key,
    headers: { 'content-type': 'text/plain' },
  })
  assert.deepEqual([answer.status, codeOf(answer)], [400, -32600])
})

test('an id of a thousand letters, or none, comes back as it was', async () => {
  for (const id of ['x'.repeat(1000), '', '__proto__', 0, -1, Number.MAX_SAFE_INTEGER, '\u202e']) {
    assert.equal(at((await send(message('ping', {}, id))).body, 'id'), id)
  }
})

test('-32602 for an unknown tool, also under names known elsewhere, and for arguments that are no object', async () => {
  for (const name of [
    'nothing',
    'getAccount',
    'cancel_email',
    'constructor',
    '__proto__',
    'toString',
    '',
    7,
    null,
    undefined,
    {},
  ]) {
    assert.equal(codeOf(await client.request('tools/call', { name })), -32602, JSON.stringify(name))
  }
  for (const input of [[], 'x', 7, true]) {
    assert.equal(
      codeOf(await client.request('tools/call', { name: 'get_account', arguments: input })),
      -32602,
    )
  }
})

test('an argument that a tool without a body does not have is refused: something else was meant', async () => {
  for (const [tool, args] of [
    ['get_account', { workspace: 'other' }],
    ['list_subscribers', { page: 2 }],
    ['send_campaign', { id: 'x', segment: 'Lyon' }],
    ['send_campaign', { id: 'x', confirmRecipients: 1 }],
  ] as const) {
    const { isError, body } = await client.call(tool, args)
    assert.ok(isError)
    assert.deepEqual(
      [at(body, 'name'), at(body, 'error', 'details', 'rule')],
      ['validation_error', 'additionalProperties'],
    )
  }
})

test('keys of prototypes are keys like any other, wherever they stand', async () => {
  const raw = (args: string) =>
    send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_subscriber","arguments":${args}}}`,
    )
  const polluted = await raw(
    '{"email":"p@example.com","__proto__":{"email":"x"},"constructor":{"prototype":{"x":1}},"double_opt_in":false}',
  )
  assert.equal(at(polluted.body, 'result', 'structuredContent', 'email'), 'p@example.com')
  assert.equal(Object('x').x, undefined)
  const refused = await raw('{"email":"q@example.com","fields":{"__proto__":"x"}}')
  assert.equal(at(refused.body, 'result', 'structuredContent', 'name'), 'validation_error')
  const account = await send(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_account","arguments":{"__proto__":{"x":1}}}}',
  )
  assert.equal(at(account.body, 'result', 'isError'), true)
})

const deep = (levels: number): unknown =>
  JSON.parse(`${'{"x":'.repeat(levels)}1${'}'.repeat(levels)}`)

for (const [situation, tool, args] of [
  ['an object where a text belongs', 'get_email', { id: {} }],
  ['a list where a text belongs', 'remove_subscriber', { email: ['a@example.com'] }],
  ['a number where a text belongs', 'send_email', { idempotency_key: 7 }],
  ['a flag where a number belongs', 'list_subscribers', { limit: true }],
  ['a fraction where a whole number belongs', 'list_subscribers', { limit: 1.5 }],
  ['a text that is no number', 'send_campaign', { id: 'x', confirm_recipients: 'many' }],
  ['nesting of 100 levels', 'send_email', { subject: deep(100) }],
  ['nesting of 1,000 levels', 'list_campaigns', { cursor: deep(1_000) }],
  ['a text with U+0000', 'list_subscribers', { q: 'a\0b' }],
  ['half a surrogate', 'list_suppression', { email: '\ud800@example.com' }],
] as const) {
  test(`isError with validation_error: ${situation}`, async () => {
    const { isError, body } = await client.call(tool, args)
    assert.deepEqual(
      [isError, at(body, 'name')],
      [true, 'validation_error'],
      JSON.stringify(body).slice(0, 300),
    )
  })
}

test('isError with validation_error: a key against a second send that no header could carry and no database keep', async () => {
  const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' }
  for (const [key, rule] of [
    ['a\0b', 'control_character'],
    ['\udfff', 'unicode'],
    ['x'.repeat(201), 'maxLength'],
    [7, 'type'],
  ]) {
    const { body } = await client.call('send_email', { ...mail, idempotency_key: key })
    assert.deepEqual(at(body, 'error', 'details', 'rule'), rule, JSON.stringify(body))
  }
})

test('isError with not_found: an id or an address that no database could look up', async () => {
  for (const id of [
    'a\0b',
    '\ud800',
    'x'.repeat(100_000),
    '../../me',
    '%00',
    "'; drop table message; --",
    '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e4\n',
  ]) {
    for (const tool of ['get_email', 'get_campaign_stats', 'send_campaign']) {
      assert.equal(
        at((await client.call(tool, { id })).body, 'name'),
        'not_found',
        `${tool} ${id.slice(0, 40)}`,
      )
    }
    assert.equal(
      at((await client.call('remove_subscriber', { email: id })).body, 'name'),
      'not_found',
    )
  }
})

test('a key that may not send has the limit of other bodies, not the 30 MB of sends', async () => {
  const answer = await post(
    api.baseUrl,
    toolCall('send_email', { x: 'x'.repeat(limits.otherBodyBytes) }),
    { key: reader },
  )
  assert.deepEqual(
    [answer.status, at(answer.body, 'error', 'data', 'limit')],
    [400, limits.otherBodyBytes],
  )
})

test('the service reads no body without a key', async () => {
  assertRefused(
    await ask(api.baseUrl, 'POST /api/mcp', { raw: '['.repeat(1_000_000) }),
    'missing_api_key',
  )
})
