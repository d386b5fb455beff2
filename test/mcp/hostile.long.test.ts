/** Any arguments of any tool, and bodies of 20 MB, at the MCP endpoint. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastCheck from 'fast-check'
import { limits } from '../../src/contract/limits.ts'
import { operationsByTool } from '../../src/contract/tools.ts'
import { at, textsWithin } from '../support/json.ts'
import { clientOf, codeOf, message, post, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')
const client = clientOf(api.baseUrl, shop.key)
const send = (body: string | Uint8Array<ArrayBuffer>) => post(api.baseUrl, body, { key: shop.key })
const toolCall = (name: string, args: unknown) => message('tools/call', { name, arguments: args })

test('a file of 20 MB goes by send_email; each tool refuses a body larger than its own operation takes', async () => {
  const content = Buffer.alloc(limits.attachmentBytesMax).toString('base64')
  const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' }
  const sent = await client.call('send_email', {
    ...mail,
    attachments: [{ filename: 'a.bin', content }],
  })
  assert.equal(at(sent.body, 'object'), 'email', JSON.stringify(sent.body).slice(0, 300))
  for (const [tool, args, limit] of [
    ['add_suppression', { email: 'a@example.com', x: 'x'.repeat(300_000) }, limits.otherBodyBytes],
    [
      'create_campaign',
      { name: 'n', subject: 's', text: 't', x: 'x'.repeat(7_000_000) },
      limits.campaignBodyBytes,
    ],
  ] as const) {
    const { body } = await client.call(tool, args)
    assert.partialDeepStrictEqual(at(body, 'error'), {
      code: 'validation_error',
      details: { rule: 'body_bytes', limit },
    })
  }
  const huge = await send(toolCall('send_email', { x: 'x'.repeat(31 * 1024 * 1024) }))
  assert.deepEqual(
    [huge.status, codeOf(huge), at(huge.body, 'error', 'data', 'limit')],
    [400, -32600, limits.emailBodyBytes],
  )
})

test('property: no arguments of any tool cause an internal error', async () => {
  const tools = [...operationsByTool.keys()]
  const names = [
    'id',
    'email',
    'to',
    'from',
    'subject',
    'text',
    'limit',
    'cursor',
    'status',
    'q',
    'idempotency_key',
    'confirm_recipients',
  ]
  const value = fastCheck.oneof(
    fastCheck.jsonValue(),
    fastCheck.string({ unit: 'binary' }),
    fastCheck.emailAddress(),
    fastCheck.uuid(),
  )
  const args = fastCheck.dictionary(
    fastCheck.oneof(fastCheck.constantFrom(...names), fastCheck.string()),
    value,
    { maxKeys: 6 },
  )
  await fastCheck.assert(
    fastCheck.asyncProperty(fastCheck.constantFrom(...tools), args, async (tool, input) => {
      const { status, body } = await client.request('tools/call', { name: tool, arguments: input })
      assert.equal(status, 200)
      assert.notEqual(
        at(body, 'result', 'structuredContent', 'name'),
        'internal_error',
        JSON.stringify(body),
      )
      assert.ok(![...textsWithin(body)].some(([, text]) => /\n\s+at /.test(text)))
    }),
    { numRuns: 150 },
  )
})
