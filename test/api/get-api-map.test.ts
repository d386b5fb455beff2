/**
 * `GET /api/v1`: where everything is, without a key; and the machine-readable description beside
 * it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asJson } from '../../src/contract/json-schema.ts'
import { apiOperationIds, operations } from '../../src/contract/operations.ts'
import { openApi } from '../../src/contract/openapi.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'

const api = await startApi()

test('200: every operation with its permission, every scope, and the addresses of the rest', async () => {
  const answer = await ask(api.baseUrl, 'GET /api/v1')
  assertAnswered(answer, 200, {
    object: 'api',
    version: '1.0.0',
    documentation: `${api.baseUrl}/docs`,
    openapi: `${api.baseUrl}/api/v1/openapi.json`,
  })
  const { endpoints, scopes } = Object(answer.body)
  assert.deepEqual(
    endpoints.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
    apiOperationIds.map((id) => `${operations[id].method} ${operations[id].path}`),
  )
  assert.deepEqual(
    scopes.map(({ name }: { name: string }) => name),
    allScopes,
  )
})

test('200: a key, even a wrong one, changes nothing', async () => {
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1', { key: 'nonsense' }), 200)
})

test('200: the description is served as it is generated, for this address', async () => {
  const answer = await fetch(`${api.baseUrl}/api/v1/openapi.json`)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.match(answer.headers.get('x-request-id') ?? '', /\S/)
  assert.deepEqual(await answer.json(), asJson(openApi(api.baseUrl)))
})
