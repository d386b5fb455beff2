/**
 * The calls of the unmodified SDK of Resend: each is in our table, and answers as the table says.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { hintText } from '../../src/contract/hints.ts'
import { refusedResendCalls, resendCalls } from '../../src/contract/reference/resend-calls.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { readSdkCalls } from '../support/resend-sdk.ts'
import { resendEntryPoints } from '../support/resend-entry-points.ts'

const api = await startApi({ entry: resendEntryPoints })
const shop = await api.workspace('shop')
const resend = new Resend(shop.key, { baseUrl: `${api.baseUrl}/api/v1` })

test('every call of the SDK, with each request that it makes, is in the table, and no other', async () => {
  const output = (calls: readonly { call: string; request: string | null }[]) =>
    calls.map(({ call, request }) => `${call}: ${request}`).toSorted()
  assert.deepEqual(output(resendCalls), output(await readSdkCalls()))
  for (const { call, status, here, way } of resendCalls)
    assert.ok(way ? status === undefined && here === undefined : status && here, call)
})

test('404 not_found: a refused call names our way, in both languages', async () => {
  for (const { request, way } of refusedResendCalls) {
    const [method, path = ''] = request.split(' ')
    const line = `${method} /api/v1${path.replaceAll('{id}', 'x')}`
    for (const language of ['en', 'fr'] as const) {
      const headers = { 'accept-language': language }
      const answer = await ask(api.baseUrl, line, { key: shop.key, headers })
      assertRefused(answer, 'not_found', { reason: 'not_offered', hint: hintText(way, language) })
      assert.ok(String(at(answer.body, 'message')).endsWith(hintText(way, language)), request)
    }
  }
})

test('the SDK hands the sentence on', async () => {
  const { data, error } = await resend.templates.list()
  assert.equal(data, null)
  assert.deepEqual([error?.name, error?.statusCode], ['not_found', 404])
  assert.match(error?.message ?? '', /`html`.*`text`/)
})

test('401, 429: a refused call asks for a key, and counts in its rate', async () => {
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/templates'), 'missing_api_key')
  const key = api.unknownKey(shop)
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/templates', { key }), 'invalid_api_key')
  const slow = await api.workspace('slow', { ratePerMinute: 1 })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }), 200)
  const over = await ask(api.baseUrl, 'GET /api/v1/templates', { key: slow.key })
  assertRefused(over, 'rate_limit_exceeded')
})
