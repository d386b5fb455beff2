/**
 * Addresses: spellings that mean the same, and what is said of those that no operation answers
 * (semantics 4: Unknown route, method).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeUnknown } from '../../src/contract/describe-unknown.ts'
import { apiOperationIds, operations } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const get = (path: string, headers: Record<string, string> = {}) =>
  ask(api.baseUrl, path.includes(' ') ? path : `GET ${path}`, { key: shop.key, headers })

for (const path of [
  '/api/v1/me',
  '/api/v1/me/',
  '/api/v1//me',
  '//api/v1/me',
  '/api//v1///me//',
  '/api/v1/me/?x=//',
]) {
  test(`200: ${path} is read as /api/v1/me`, async () => {
    assertAnswered(await get(path), 200, { object: 'account' })
  })
}

test('202: an e-mail posted to the address as the Go SDK writes it, and as the Node and Python SDKs do', async () => {
  for (const path of ['/api/v1/emails/', '/api/v1/emails', '/api/v1//emails']) {
    const body = { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' }
    assertAnswered(await ask(api.baseUrl, `POST ${path}`, { key: shop.key, body }), 202)
  }
})

test('200: HEAD answers as GET does, headers and all, without a body; an operation that needs a key needs it', async () => {
  for (const path of [
    '/api/v1',
    '/api/v1/me',
    '/api/v1/subscribers?limit=1',
    '/api/v1/openapi.json',
  ]) {
    const headers = { authorization: `Bearer ${shop.key}` }
    const [head, full] = [
      await fetch(api.baseUrl + path, { method: 'HEAD', headers }),
      await fetch(api.baseUrl + path, { headers }),
    ]
    assert.deepEqual([head.status, await head.text()], [200, ''], path)
    for (const name of [
      'content-type',
      'content-length',
      'x-ratelimit-limit',
      'ratelimit-policy',
    ]) {
      assert.equal(head.headers.get(name), full.headers.get(name), `${name} of ${path}`)
    }
    await full.text()
  }
  assert.equal((await fetch(`${api.baseUrl}/api/v1/me`, { method: 'HEAD' })).status, 401)
})

const mistyped: [asked: string, meant: string][] = [
  ['GET /api/v1/email', 'GET /api/v1/emails'],
  ['POST /api/v1/email', 'POST /api/v1/emails'],
  ['POST /emails', 'POST /api/v1/emails'],
  ['POST /v1/emails', 'POST /api/v1/emails'],
  ['GET /api/v2/me', 'GET /api/v1/me'],
  ['GET /API/V1/ME', 'GET /api/v1/me'],
  ['GET /api/v1/suppressions', 'GET /api/v1/suppression'],
  ['POST /api/v1/campaigns/x/sned', 'POST /api/v1/campaigns/{id}/send'],
  ['GET /api/v1/campaigns/x/stat', 'GET /api/v1/campaigns/{id}/stats'],
  ['POST /mcp', 'POST /api/mcp'],
]
for (const [requested, meant] of mistyped) {
  test(`404 not_found: ${requested} is no address, ${meant} is the nearest`, async () => {
    const answer = await get(requested, { 'accept-language': 'en' })
    assertRefused(answer, 'not_found', { reason: 'mistyped_address', nearest: meant })
    const [method, path] = requested.split(' ')
    assert.equal(
      textAt(answer, 'message'),
      `No such address exists: ${method} ${path}. The nearest operation is ${meant}.`,
    )
  })
}

test('404 not_found: an unknown address names the map of the API, also without a key, in the language of the call', async () => {
  for (const path of [
    '/api/v1/nothing',
    '/',
    '/wp-login.php',
    `/api/v1/${'x'.repeat(9_000)}`,
    '/%00',
  ]) {
    const answer = await ask(api.baseUrl, `GET ${path}`, { headers: { 'accept-language': 'fr' } })
    assertRefused(answer, 'not_found', { reason: 'unknown_address', nearest: 'GET /api/v1' })
    assert.match(
      textAt(answer, 'message'),
      /^Cette adresse n'existe pas\s: GET \/.*\. GET \/api\/v1 énumère toutes les opérations\.$/,
    )
  }
})

test('404 not_found: an address that cannot be read says so', async () => {
  for (const part of ['%', '%E0%A4%A', 'x'.repeat(9_000)]) {
    const answer = await get(`/api/v1/emails/${part}`, { 'accept-language': 'en' })
    assertRefused(answer, 'not_found', { reason: 'unreadable_address' })
    assert.match(textAt(answer, 'message'), /^This address cannot be read: /)
  }
})

test('404 not_found with Allow: an address that takes other methods says which', async () => {
  for (const [requested, allowed] of [
    ['PUT /api/v1/me', 'GET, HEAD'],
    ['DELETE /api/v1/emails', 'POST, GET, HEAD'],
    ['POST /api/v1/emails/batches', 'GET, HEAD, PATCH'],
    ['POST /api/v1/emails/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', 'GET, HEAD, PATCH'],
    ['QUERY /api/v1/emails', 'POST, GET, HEAD'],
    ['PROPFIND /api/v1/me', 'GET, HEAD'],
    ['OPTIONS /api/v1/me', 'GET, HEAD'],
  ] as const) {
    const answer = await get(requested, { 'accept-language': 'en' })
    assert.equal(answer.headers.get('allow'), allowed, requested)
    const [method = '', path = ''] = requested.split(' ')
    assertRefused(answer, 'not_found', {
      reason: 'method',
      method,
      path,
      allowed: allowed.split(', '),
    })
    const sentence = `The address ${path} exists, but not for ${method}: it answers ${allowed}.`
    assert.equal(textAt(answer, 'message'), sentence)
  }
})

test('404 not_found: an object that is missing is called an object, not an address', async () => {
  const answer = await get('/api/v1/emails/019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', {
    'accept-language': 'en',
  })
  assertRefused(answer, 'not_found')
  assert.equal(textAt(answer, 'message'), 'This object does not exist in this workspace.')
})

test('every operation is the nearest to itself, under any prefix', () => {
  for (const id of apiOperationIds) {
    const { method, path } = operations[id]
    const below = path.slice('/api/v1'.length)
    if (below === '') continue
    for (const prefix of ['', '/v2', '/api', '/api/v3']) {
      const { reason, ...unknown } = describeUnknown(method, prefix + below)
      assert.deepEqual([reason, Object(unknown).nearest], ['mistyped_address', `${method} ${path}`])
    }
  }
})
