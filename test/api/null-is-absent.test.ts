/**
 * `null` is as good as absent (decision 0029): in each part of every operation, by REST, by MCP and
 * by session.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  exampleOf,
  plainSchema,
  type Json,
  type JsonSchema,
} from '../../src/contract/json-schema.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { validateShape } from '../../src/core/input/validate-shape.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')
const client = clientOf(api.baseUrl, shop.key)

/**
 * An example whose every optional member is null, at every depth; `dropped` has the paths where
 * null is no value of its own.
 */
function withNulls(schema: JsonSchema, dropped: string[], path = ''): Json {
  const example = exampleOf(schema)
  if (typeof example === 'string') return example.padEnd(schema.minLength ?? 0, ' of some length')
  if (typeof example !== 'object' || example === null) return example
  if (Array.isArray(example))
    return example.map((_, index) => withNulls(schema.items ?? {}, dropped, `${path}/${index}`))
  const { properties = {}, required = [] } = schema
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => {
      if (required.includes(name)) return [name, withNulls(inner, dropped, `${path}/${name}`)]
      if (!inner.anyOf?.some(({ type }) => type === 'null')) dropped.push(`${path}/${name}`)
      return [name, null]
    }),
  )
}

const valueAt = (value: unknown, path: string): unknown => at(value, ...path.split('/').slice(1))

// Each entry of a batch of subscribers is read by itself: a call below has nulls in one.
for (const id of operationIds.filter((operationId) => operationId !== 'addSubscriberBatch')) {
  const operation: Operation = operations[id]
  test(`${id}: null wherever something may be left out`, () => {
    const dropped: Record<'query' | 'headers' | 'body', string[]> = {
      query: [],
      headers: [],
      body: [],
    }
    const input = validateShape(id, {
      params: Object(exampleOf(plainSchema(operation.params))),
      query: Object(withNulls(plainSchema(operation.query), dropped.query)),
      headers: Object(withNulls(plainSchema(operation.headers), dropped.headers)),
      body: operation.body && withNulls(plainSchema(operation.body), dropped.body),
    })
    for (const part of ['query', 'headers', 'body'] as const) {
      for (const path of dropped[part])
        assert.equal(valueAt(input[part], path), undefined, `${part}${path}`)
    }
  })
}

const email = 'camille@example.com'
const calls: [line: string, body: object, status: number][] = [
  [
    'POST /api/v1/subscribers',
    { email, firstName: null, tags: null, fields: null, double_opt_in: null },
    201,
  ],
  ['POST /api/v1/subscribers', { email, fields: { city: null } }, 200],
  ['POST /api/v1/suppression', { email: 'closed@example.com', reason: null }, 201],
  [
    'POST /api/v1/webhooks',
    { url: `${api.baseUrl}/`, events: ['email.delivered'], name: null, enabled: null },
    201,
  ],
  [
    'POST /api/v1/emails',
    {
      from: 'hello@shop.test',
      to: email,
      subject: 's',
      text: 't',
      tags: { a: null },
      headers: null,
    },
    202,
  ],
]
for (const [line, body, status] of calls) {
  test(`${status}: ${line} with null for what is absent`, async () => {
    assertAnswered(await ask(api.baseUrl, line, { key: shop.key, body }), status)
  })
}

test('200: POST /api/v1/subscribers/batch with null in an entry for what is absent', async () => {
  const entry = { firstName: null, tags: null, fields: null, double_opt_in: null }
  const answer = await ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
    key: shop.key,
    body: [{ email: 'null@example.com', ...entry }],
  })
  assertAnswered(answer, 200, { data: [{ result: 'created', status: 'pending' }] })
})

test('422 validation_error: null for what is required is absent too', async () => {
  const answer = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: null },
  })
  assertRefused(answer, 'validation_error', { path: 'email', rule: 'required' })
})

test('MCP: null arguments are absent, as parameters, as a key and as all of them', async () => {
  for (const [tool, args] of [
    ['get_account', null],
    ['get_account', { anything: null }],
    ['list_subscribers', { limit: null, cursor: null, status: null, q: null }],
    ['add_suppression', { email: 'closed@example.com', reason: null }],
    [
      'send_email',
      { from: 'hello@shop.test', to: email, subject: 's', text: 't', idempotency_key: null },
    ],
  ] as const) {
    const { isError, body } = await client.call(tool, args)
    assert.equal(isError, false, `${tool}: ${JSON.stringify(body)}`)
  }
  assert.equal(
    at((await client.call('get_email', { id: null })).body, 'error', 'details', 'rule'),
    'required',
  )
})
