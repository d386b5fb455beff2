/**
 * The cost of an agent's call: the tool `get_account` against `GET /api/v1/me`, the REST call that
 * it is. Runs alternate on one process and one durable PostgreSQL; the tool runs once as a client
 * of the handshake era calls it, once statelessly.
 *
 * The ratio is the processor time that the service takes for a call; PostgreSQL's is printed beside
 * it, and is the same work.
 */
import { startPostgres } from '../test/support/postgres.ts'
import { measureRun, startMeasuredApi, type Run } from './accept/measured-api.ts'
import { median } from './accept/median.ts'
import { memoryOf } from './accept/processes.ts'

const json = process.argv.includes('--json')
const rounds = 7
const runMs = 2000
const warmUpMs = 4000
const connections = 16
const say = (line: string): void => (json ? console.error(line) : console.log(line))

const postgres = await startPostgres({ durable: true })
const facteur = await startMeasuredApi(postgres.connectionString)
const { port, key } = facteur

const head = (line: string, headers: string[]): string =>
  [
    `${line} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${key}`,
    ...headers,
    '',
    '',
  ].join('\r\n')

function toolCall(headers: string[], meta: object): Buffer {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_account', arguments: {}, ...meta },
  })
  const own = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.from(head('POST /api/mcp', [...own, ...headers]) + body)
}

const requests = {
  rest: Buffer.from(head('GET /api/v1/me', ['Accept: application/json'])),
  handshake: toolCall(['MCP-Protocol-Version: 2025-11-25'], {}),
  stateless: toolCall(
    ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: get_account'],
    {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      },
    },
  ),
}
type What = keyof typeof requests
const all = ['rest', 'handshake', 'stateless'] as const

const measure = (what: What, ms = runMs): Promise<Run> =>
  measureRun(postgres, facteur.pid, { port, connections, ms, request: () => requests[what] })

say(`Warming all up for ${warmUpMs / 1000} s each`)
for (const what of all) await measure(what, warmUpMs)
const runs: Record<What, Run[]> = { rest: [], handshake: [], stateless: [] }
for (let round = 0; round < rounds; round++) {
  for (const what of all) runs[what].push(await measure(what))
}
const ratioOf = (what: What): number =>
  Math.round(
    median(runs[what].map((run, round) => run.cpuUs / (runs.rest[round]?.cpuUs ?? NaN))) * 100,
  ) / 100
const ratio = { handshake: ratioOf('handshake'), stateless: ratioOf('stateless') }
const shown = (what: What) => ({
  cpu_us: median(runs[what].map((run) => run.cpuUs)),
  postgres_cpu_us: median(runs[what].map((run) => run.postgresCpuUs)),
  per_second: median(runs[what].map((run) => run.perSecond)),
  p50_ms: median(runs[what].map((run) => run.p50Ms)),
  p99_ms: median(runs[what].map((run) => run.p99Ms)),
})
for (const what of all) {
  const { cpu_us, postgres_cpu_us, per_second, p50_ms, p99_ms } = shown(what)
  say(
    `${what.padEnd(9)} CPU ${cpu_us} + PostgreSQL ${postgres_cpu_us} µs a call; ${per_second}/s, p50 ${p50_ms} ms, p99 ${p99_ms} ms`,
  )
}
say(`ratio of the service's CPU: handshake ${ratio.handshake}, stateless ${ratio.stateless}`)
const memory = memoryOf(facteur.pid)
await facteur.stop()
await postgres.stop()
if (json) {
  const figures = {
    rest: shown('rest'),
    handshake: shown('handshake'),
    stateless: shown('stateless'),
    memory_mib: memory,
  }
  console.log(JSON.stringify({ bench: 'mcp', ratio, figures }))
}
