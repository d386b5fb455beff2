/**
 * The official clients of the protocol, unchanged: v1 with its handshake, v2 in both eras. They
 * hold each result to the tool's own schema.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Client as ClientOfV2,
  StreamableHTTPClientTransport as TransportOfV2,
} from '@modelcontextprotocol/client'
import { Client as ClientOfV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOfV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { operationsByTool } from '../../src/contract/tools.ts'
import { at } from '../support/json.ts'
import { startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')
const url = new URL(`${api.baseUrl}/api/mcp`)
const requestInit = { headers: { Authorization: `Bearer ${shop.key}` } }
const info = { name: 'test', version: '1.0.0' }

/** The part of a client that the tests need. */
interface Referee {
  listTools(): Promise<{ tools: { name: string }[] }>
  listResources(): Promise<{ resources: { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(params: { uri: string }): Promise<object>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

const referees: [name: string, open: () => Promise<Referee>][] = [
  [
    'v1',
    async () => {
      const client = new ClientOfV1(info)
      await client.connect(new TransportOfV1(url, { requestInit }))
      return client
    },
  ],
  [
    'v2, handshake',
    async () => {
      const client = new ClientOfV2(info)
      await client.connect(new TransportOfV2(url, { requestInit }))
      return client
    },
  ],
  [
    'v2, which asks first',
    async () => {
      const client = new ClientOfV2(info, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new TransportOfV2(url, { requestInit }))
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
      return client
    },
  ],
  [
    'v2, stateless and nothing else',
    async () => {
      const client = new ClientOfV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      await client.connect(new TransportOfV2(url, { requestInit }))
      return client
    },
  ],
]

for (const [name, open] of referees) {
  test(`${name}: connects, lists the twelve tools and the reference, and reads it`, async () => {
    const client = await open()
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map((tool) => tool.name).toSorted(),
      [...operationsByTool.keys()].toSorted(),
    )
    const uris = (await client.listResources()).resources.map(({ uri }) => uri)
    assert.deepEqual([uris[0], uris.includes('service://docs/e-mails')], ['service://docs', true])
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['service://docs/{topic}'],
    )
    const part = await client.readResource({ uri: 'service://docs/e-mails' })
    assert.match(String(at(part, 'contents', '0', 'text')), /^## E-mails/)
    const docs = await client.readResource({ uri: 'service://docs' })
    assert.match(String(at(docs, 'contents', '0', 'text')), /^# The API/)
    await assert.rejects(client.readResource({ uri: 'service://other' }))
    await client.close()
  })

  test(`${name}: every tool is called, and its result fits its schema; refusals are results`, async () => {
    const client = await open()
    await client.listTools()
    const call = async (tool: string, input: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name: tool, arguments: input })
      return { body: at(result, 'structuredContent'), isError: at(result, 'isError') === true }
    }
    const done = async (tool: string, input: Record<string, unknown> = {}) => {
      const { body, isError } = await call(tool, input)
      assert.ok(!isError, `${tool}: ${JSON.stringify(body)}`)
      return body
    }
    const email = `${name.replaceAll(/\W+/g, '-')}@example.com`
    await done('get_account')
    const sent = await done('send_email', {
      from: 'hello@shop.test',
      to: [email],
      subject: 'Bonjour',
      html: '<p>x</p>',
      idempotency_key: email,
    })
    await done('get_email', { id: at(sent, 'id') })
    await done('add_subscriber', { email, firstName: 'Camille', double_opt_in: false })
    await done('list_subscribers', { q: email, limit: 10 })
    const campaign = await done('create_campaign', { name: 'n', subject: 's', text: 'Hello' })
    await done('list_campaigns', { status: 'draft' })
    const subscribers = at(await done('get_account'), 'subscribers')
    await done('send_campaign', { id: at(campaign, 'id'), confirm_recipients: subscribers })
    await done('get_campaign_stats', { id: at(campaign, 'id') })
    await done('remove_subscriber', { email })
    await done('add_suppression', { email: `other-${email}` })
    await done('list_suppression', { email })

    for (const [tool, input, code] of [
      [
        'send_email',
        { from: 'hello@shop.test', to: email, subject: 's', text: 't' },
        'suppressed_recipient',
      ],
      [
        'send_email',
        { from: 'a@elsewhere.test', to: 'a@example.com', subject: 's', text: 't' },
        'unverified_from_domain',
      ],
      [
        'send_email',
        { from: 'hello@shop.test', to: 'a@example.com', subject: 's' },
        'validation_error',
      ],
      ['send_campaign', { id: at(campaign, 'id') }, 'conflict'],
      ['get_email', { id: 'nonsense' }, 'not_found'],
      ['remove_subscriber', { email: 'nobody@example.com' }, 'not_found'],
    ] as const) {
      const { body, isError } = await call(tool, input)
      assert.deepEqual([isError, at(body, 'error', 'code')], [true, code])
    }
    await assert.rejects(client.callTool({ name: 'nothing' }))
    await client.close()
  })
}

test('a client without a key reads why it is refused', async () => {
  await assert.rejects(new ClientOfV2(info).connect(new TransportOfV2(url)), /401|unauthori[sz]ed/i)
})
