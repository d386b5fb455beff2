/**
 * The protocol's own conformance suite, in both eras, through a proxy that adds the key. Every
 * scenario that a revision requires of servers is either run here or named with what it would need:
 * most look for tools, prompts and files of a test server.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { startMcpApi } from '../support/mcp.ts'

const cli = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const api = await startMcpApi()
const shop = await api.workspace('shop')
const proxy = await startProxy(api.baseUrl, shop.key)
const folder = await mkdtemp(join(tmpdir(), 'facteur-conformance-'))
after(() => rm(folder, { recursive: true }))

/** Passes everything on as it came, with the key. */
async function startProxy(upstream: string, key: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const passed = httpRequest(
      upstream + url,
      { method, headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(passed)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${port}/api/mcp`
}

const run = (args: string[]): Promise<string> =>
  new Promise((resolve) =>
    execFile(process.execPath, [cli, ...args], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  )

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

/**
 * The checks of each scenario that these arguments choose, run one after the other by one program:
 * to start it takes longer than most of them.
 */
async function checksOf(name: string, args: string[]): Promise<Map<string, Check[]>> {
  const output = join(folder, name)
  const printed = await run(['server', '--url', proxy, ...args, '-o', output])
  const results = await readdir(output).catch(() => [])
  assert.ok(results.length > 0, printed)
  const byKey = new Map<string, Check[]>()
  for (const result of results) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[-\d]+Z$/.exec(result)?.[1]
    if (scenario !== undefined)
      byKey.set(scenario, JSON.parse(await readFile(join(output, result, 'checks.json'), 'utf8')))
  }
  return byKey
}

const inBoth = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection']
const applicable: Record<string, string[]> = {
  '2025-11-25': [...inBoth, 'server-initialize', 'ping', 'server-session-lifecycle'],
  '2026-07-28': [
    ...inBoth,
    'server-stateless',
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
    'input-required-result-missing-input-response',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
}

/** Why the other scenarios do not apply. */
const absent: [what: RegExp, why: string][] = [
  [/^tools-call-/, 'calls tools of a test server'],
  [/^prompts-get-/, 'asks for prompts of a test server'],
  [/^resources-(read|templates)-/, 'reads files of a test server'],
  [
    /^resources-(un)?subscribe$|^logging-|^completion-/,
    'asks for what is not offered, and not said to be',
  ],
  [/^elicitation-|^input-required-result-/, 'needs a tool that asks back'],
  [/^http-custom-header-/, 'needs a tool with parameters in headers'],
  [/^json-schema-2020-12$/, 'lists a tool of a test server'],
  [/^server-sse-/, 'opens streams within a session'],
  [/^tasks-/, 'belongs to an extension that is not offered'],
]

function assertPasses(checks: Check[] = []): void {
  assert.ok(checks.some(({ status }) => status === 'SUCCESS' || status === 'INFO'))
  assert.deepEqual(
    checks.filter(
      ({ status, errorMessage = '' }) =>
        status === 'FAILURE' && !/^Not testable/i.test(errorMessage),
    ),
    [],
  )
}

/** The suite has no list of what this revision requires. */
const earliest = '2025-06-18'
for (const scenario of ['server-initialize', 'tools-list']) {
  test(`${earliest}: ${scenario}`, async () => {
    const checks = await checksOf(scenario, ['--scenario', scenario, '--spec-version', earliest])
    assertPasses(checks.get(scenario))
  })
}

for (const [revision, scenarios] of Object.entries(applicable)) {
  test(`${revision}: every scenario that it requires of servers passes, or has a reason why it does not apply`, async (t) => {
    const checks = await checksOf(revision, ['--requirements', revision])
    const others = [...checks.keys()].filter((name) => !scenarios.includes(name))
    assert.deepEqual(
      others.filter((name) => !absent.some(([what]) => what.test(name))),
      [],
    )
    for (const scenario of scenarios)
      await t.test(scenario, () => assertPasses(checks.get(scenario)))
  })
}
