/**
 * The protocol's own conformance suite, in both eras, through a proxy that adds the key. Every scenario that a revision requires
 * of servers is either run here or named with what it would need: most look for tools, prompts and files of a test server.
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

const cli = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const api = await startMcpApi()
const shop = await api.workspace('shop')
const proxy = await startProxy(api.baseUrl, shop.key)
const folder = await mkdtemp(join(tmpdir(), 'facteur-conformance-'))
after(() => rm(folder, { recursive: true }))

/** Passes everything on as it came, with the key. */
async function startProxy(upstream: string, key: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const passed = httpRequest(upstream + url, { method, headers: { ...headers, authorization: `Bearer ${key}` } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${port}/api/mcp`
}

const run = (args: string[]): Promise<string> =>
  new Promise((resolve) => execFile(process.execPath, [cli, ...args], (_error, stdout, stderr) => resolve(stdout + stderr)))

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

async function checksOf(scenario: string, revision: string): Promise<Check[]> {
  const output = join(folder, `${revision}-${scenario}`)
  const said = await run(['server', '--url', proxy, '--scenario', scenario, '--spec-version', revision, '-o', output])
  const [result] = await readdir(output).catch(() => [])
  assert.ok(result, said)
  const checks: Check[] = JSON.parse(await readFile(join(output, result, 'checks.json'), 'utf8'))
  return checks
}

const inBoth = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection']
const applicable: Record<string, string[]> = {
  '2025-06-18': ['server-initialize', 'tools-list'],
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
  [/^resources-(un)?subscribe$|^logging-|^completion-/, 'asks for what is not offered, and not said to be'],
  [/^elicitation-|^input-required-result-/, 'needs a tool that asks back'],
  [/^http-custom-header-/, 'needs a tool with parameters in headers'],
  [/^json-schema-2020-12$/, 'lists a tool of a test server'],
  [/^server-sse-/, 'opens streams within a session'],
]

for (const [revision, scenarios] of Object.entries(applicable)) {
  test(`${revision}: every applicable scenario passes`, { concurrency: 2 }, async (t) => {
    await Promise.all(
      scenarios.map((scenario) =>
        t.test(scenario, async () => {
          const checks = await checksOf(scenario, revision)
          const failed = checks.filter(
            ({ status, errorMessage = '' }) => status === 'FAILURE' && !/^Not testable/i.test(errorMessage),
          )
          assert.deepEqual(failed, [])
          assert.ok(checks.some(({ status }) => status === 'SUCCESS' || status === 'INFO'))
        }),
      ),
    )
  })
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`${revision}: no scenario that it requires of servers is left out without a reason`, async () => {
    const listed = await run(['list', '--requirements', revision])
    const servers = listed.slice(listed.indexOf('Server scenarios'), listed.indexOf('Client scenarios'))
    const required = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name)
    assert.ok(required.length > 25)
    const left = required.filter((name) => !applicable[revision]?.includes(name))
    assert.deepEqual(
      left.filter((name) => !absent.some(([what]) => what.test(name))),
      [],
    )
  })
}
