/**
 * The entries of `tools/list`: hints as the specification has them, and schemas that need no other
 * document and admit the same input as the operation.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Compile from 'typebox/compile'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { listTools, operationsByTool, sortArguments } from '../../src/contract/tools.ts'
import { at, keysAt, textsWithin } from '../support/json.ts'

const tools = listTools()
const namesWhere = (hint: keyof (typeof tools)[number]['annotations']): string[] =>
  tools.filter(({ annotations }) => annotations[hint] === true).map(({ name }) => name)

test('hints: read-only, destructive, idempotent and open-world tools', () => {
  const reading = [
    'get_account',
    'get_email',
    'list_subscribers',
    'list_suppression',
    'list_campaigns',
    'get_campaign_stats',
  ]
  assert.deepEqual(namesWhere('readOnlyHint'), reading)
  assert.deepEqual(namesWhere('destructiveHint'), [
    'send_email',
    'add_subscriber',
    'remove_subscriber',
    'add_suppression',
    'send_campaign',
  ])
  const repeatable = [...reading, 'remove_subscriber', 'add_suppression', 'send_campaign']
  assert.deepEqual(namesWhere('idempotentHint').toSorted(), repeatable.toSorted())
  assert.deepEqual(namesWhere('openWorldHint'), ['send_email', 'add_subscriber', 'send_campaign'])
})

for (const { name, title, description, inputSchema } of tools) {
  const id = operationsByTool.get(name) ?? assert.fail(name)
  const operation: Operation = operations[id]

  test(`${name}: described in a title and a text; its schemas need no other`, () => {
    assert.ok(title.length > 5 && description.length > 20)
    for (const [key] of textsWithin({ inputSchema })) assert.ok(!['$ref', '$id'].includes(key), key)
    assert.equal(inputSchema.type, 'object')
    assert.match(description, /service:\/\/docs\/[a-z-]+\.$/)
  })

  test(`${name}: its arguments are the operation's parameters, each in its place, aliases left out`, () => {
    const shown = keysAt(inputSchema, 'properties')
    const sorted = sortArguments(
      id,
      Object.fromEntries(shown.map((argument) => [argument, argument])),
    )
    const parts = { params: operation.params, query: operation.query, headers: operation.headers }
    for (const [part, schema] of Object.entries(parts)) {
      assert.deepEqual(
        keysAt(sorted, part).toSorted(),
        Object.keys(schema.properties).toSorted(),
        part,
      )
    }
    const body = operation.body ? keysAt(plainSchema(operation.body), 'properties') : []
    assert.deepEqual(
      [...keysAt(sorted, 'others'), ...(operation.tool?.aliases ?? [])].toSorted(),
      body.toSorted(),
    )
    // No argument stands for two.
    assert.equal(shown.length, new Set(shown).size)
  })

  test(`${name}: the contract's own example is an input, which needs no other schema`, () => {
    const example = {
      ...exampleObject(operation.params),
      ...(operation.body && exampleObject(operation.body)),
    }
    assert.ok(Compile(inputSchema).Check(example), JSON.stringify(example))
  })
}

const exampleObject = (schema: Parameters<typeof plainSchema>[0]): object =>
  Object(exampleOf(plainSchema(schema)))

test('two tools have the arguments that the specification adds: a key against a second send, a number to confirm', () => {
  const properties = (name: string) =>
    at(
      tools.find((tool) => tool.name === name),
      'inputSchema',
      'properties',
    )
  assert.equal(at(properties('send_email'), 'idempotency_key', 'maxLength'), 200)
  assert.equal(at(properties('send_campaign'), 'confirm_recipients', 'type'), 'integer')
})

test('tools/list is shorter than 24 KB: the chapters that the descriptions name describe the answers', () => {
  assert.ok(
    Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } })) < 24_000,
  )
})

test('the description of a text says that Markdown is sent as it is typed', () => {
  for (const name of ['send_email', 'create_campaign']) {
    const tool = tools.find((definition) => definition.name === name)
    assert.match(
      String(at(tool, 'inputSchema', 'properties', 'text', 'description')),
      /Markdown/,
      name,
    )
  }
})
