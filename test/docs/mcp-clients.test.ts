/**
 * The settings for agents in `docs/mcp.md`: each is read as its client reads it, and a client that
 * goes by it reaches the tools.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { at, keysAt } from '../support/json.ts'
import { startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi()
const shop = await api.workspace('shop')

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')
const section = page.slice(page.indexOf('## Set up a client'), page.indexOf('## Requests'))

/** The code block that follows a client's name. */
const settingsOf = (name: string): string =>
  /```\w+\n([\s\S]*?)\n```/.exec(section.slice(section.indexOf(`**${name}**`)))?.[1] ??
  assert.fail(`${name} is not in docs/mcp.md`)

/**
 * Uses the client's documented configuration: the key put in where it stands for one, and this
 * service's address in place of the first start's.
 */
async function assertReaches(url: unknown, authorization: unknown): Promise<void> {
  const header = String(authorization).replace(
    /\$\{(?:env:FACTEUR_KEY|input:facteur-key)\}|\$FACTEUR_KEY|fct_live_…/,
    shop.key,
  )
  assert.equal(header, `Bearer ${shop.key}`)
  const address = String(url).replace('http://127.0.0.1:3025', api.baseUrl)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(address), {
      requestInit: { headers: { Authorization: header } },
    }),
  )
  assert.equal((await client.listTools()).tools.length, 12)
  await client.close()
}

test('Claude Code', async () => {
  const line =
    /^claude mcp add --transport http facteur (\S+) --header "Authorization: (.*)"$/.exec(
      settingsOf('Claude Code'),
    )
  await assertReaches(line?.[1], line?.[2])
})

test('Codex', async () => {
  const url = /^url = "(.*)"$/m.exec(settingsOf('Codex'))?.[1]
  assert.match(
    settingsOf('Codex'),
    /^\[mcp_servers\.facteur\]$[\s\S]*^bearer_token_env_var = "FACTEUR_KEY"$/m,
  )
  await assertReaches(url, `Bearer ${shop.key}`)
})

for (const [name, servers, url] of [
  ['Cursor', 'mcpServers', 'url'],
  ['VS Code', 'servers', 'url'],
  ['Windsurf', 'mcpServers', 'serverUrl'],
] as const) {
  test(name, async () => {
    const settings: unknown = JSON.parse(settingsOf(name))
    assert.deepEqual(keysAt(settings, servers), ['facteur'])
    const server = at(settings, servers, 'facteur')
    await assertReaches(at(server, url), at(server, 'headers', 'Authorization'))
  })
}

test('VS Code asks for what its settings name', () => {
  const settings: unknown = JSON.parse(settingsOf('VS Code'))
  assert.partialDeepStrictEqual(at(settings, 'inputs', '0'), {
    type: 'promptString',
    id: 'facteur-key',
    password: true,
  })
})

test('Claude Desktop, by a bridge', async () => {
  const server = at(JSON.parse(settingsOf('Claude Desktop')), 'mcpServers', 'facteur')
  const args = Object(at(server, 'args')) as string[]
  const header = args
    .at(args.indexOf('--header') + 1)
    ?.replace('${AUTHORIZATION}', String(at(server, 'env', 'AUTHORIZATION')))
  assert.equal(args[1], 'mcp-remote')
  await assertReaches(args[2], header?.replace('Authorization:', ''))
})
