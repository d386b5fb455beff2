/**
 * The protocol's inspector, from the command line as users run it: it lists, reads and calls, and
 * finds no tool that a client could not take.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { at, keysAt } from '../support/json.ts'
import { startMcpApi } from '../support/mcp.ts'

const inspector = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const api = await startMcpApi()
const shop = await api.workspace('shop')
const home = await mkdtemp(join(tmpdir(), 'facteur-inspector-'))
after(() => rm(home, { recursive: true }))

interface InspectorOutput {
  exitCode: number
  stdout: string
  stderr: string
}

/** `mcp-inspector --cli ADDRESS …`, with a home of its own. */
const inspect = (args: string[], key = shop.key): Promise<InspectorOutput> =>
  new Promise((resolve) => {
    const whole = [
      '--cli',
      `${api.baseUrl}/api/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${key}`,
      ...args,
    ]
    const child = execFile(
      process.execPath,
      [inspector, ...whole],
      { env: { ...process.env, HOME: home }, maxBuffer: 10_000_000 },
      (_error, stdout, stderr) => resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
    child.stdin?.end()
  })

async function answered(args: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await inspect(args)
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout)
}

test('tools/list: twelve tools, and no error in any schema', async () => {
  const { exitCode, stdout, stderr } = await inspect(['--method', 'tools/list', '--strict'])
  assert.equal(exitCode, 0, stderr)
  assert.equal(keysAt(JSON.parse(stdout), 'tools').length, 12)
  assert.doesNotMatch(stderr, /[1-9]\d* errors?/)
})

test('tools/call: get_account, and a refusal', async () => {
  const account = await answered(['--method', 'tools/call', '--tool-name', 'get_account'])
  assert.equal(at(account, 'structuredContent', 'workspace', 'slug'), 'shop')
  const refused = await inspect([
    '--method',
    'tools/call',
    '--tool-name',
    'get_email',
    '--tool-arg',
    'id=nonsense',
  ])
  assert.match(refused.stdout, /not_found/)
})

test('tools/call: send_email with arguments from the command line, and the mail leaves', async () => {
  const pairs = [
    'from=hello@shop.test',
    'to=camille@example.com',
    'subject=Bonjour',
    'text=Bonjour',
    'idempotency_key=order-1',
  ]
  const sent = await answered([
    '--method',
    'tools/call',
    '--tool-name',
    'send_email',
    ...pairs.flatMap((pair) => ['--tool-arg', pair]),
  ])
  assert.equal((await shop.capturedMails(String(at(sent, 'structuredContent', 'id')), 1)).length, 1)
})

test('resources/list and resources/read: the reference', async () => {
  const list = await answered(['--method', 'resources/list'])
  assert.equal(at(list, 'resources', '0', 'uri'), 'service://docs')
  const read = await answered(['--method', 'resources/read', '--uri', 'service://docs'])
  assert.match(String(at(read, 'contents', '0', 'text')), /^# The API/)
})

test('a key that is none is refused', async () => {
  const { exitCode } = await inspect(['--method', 'tools/list'], 'nonsense')
  assert.notEqual(exitCode, 0)
})
