/**
 * How fast messages are accepted: POST /emails with 2 KB of HTML, one recipient, every rule on, and the capture provider. The
 * yardstick is a Fastify route that inserts one row with the same body and commits, on the same PostgreSQL, in alternating runs.
 *
 * Facteur runs as `start --role api`, the yardstick as it is: neither does anything else meanwhile. The last figures are the cost
 * of the workers: a worker process then captures the accepted messages.
 */
import { serviceFlags } from '../bin/flags.mjs'
import { connect, sql } from '../src/db/connection/connect.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { runLoad, type Measured } from './accept/load.ts'
import { cpuOf, cpuOfPostgres, memoryOf, startProgram } from './accept/processes.ts'

const json = process.argv.includes('--json')
const rounds = 5
const runMs = 2500
// V8 compiles what runs often bit by bit: after 6 s ours still took a quarter more processor time than after a minute.
const warmUpMs = 15_000
const connectionCounts = [1, 16, 64]

const say = (line: string): void => (json ? console.error(line) : console.log(line))
const html = `<p>${'Bonjour tout le monde, voici un message. '.repeat(60).slice(0, 2041)}</p>`
const body = (sequence: number): string =>
  JSON.stringify({ from: 'Demo <hello@demo.test>', to: [`person${sequence}@example.com`], subject: 'Bonjour', html })

interface Run extends Measured {
  cpuUs: number
  postgresCpuUs: number
}

const postgres = await startPostgres({ durable: true })
const reference = new URL('accept/serve-reference.ts', import.meta.url).pathname
const env = { DATABASE_URL: postgres.connectionString, FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
const [facteurPort, referencePort] = [await freePort(), await freePort()]
let key = ''
const facteur = await startProgram(
  [...serviceFlags, programFile, 'start', '--role', 'api'],
  { ...env, FACTEUR_PORT: String(facteurPort) },
  (line) => {
    key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
    return line.includes('"msg":"ready"')
  },
)
const yardstick = await startProgram([reference, String(referencePort)], env, (line) => line === 'ready')
const db = connect({ connectionString: postgres.connectionString, poolSize: 1 })
// Every request is counted against the rate; none is to be refused by it.
await setRatePerMinute(db, 1, 100_000_000)

// A server that has run for a while has log files to write into; a new one makes them while it is measured.
for (let file = 0; file < 40; file++) {
  await db.rows(sql`select pg_switch_wal()::text from (select pg_logical_emit_message(false, '', '')) written`)
}
await db.count(sql`checkpoint`)

const request = (port: number, path: string, headers: string) => (sequence: number) => {
  const text = body(sequence)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}Content-Type: application/json\r\n`
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
const askFacteur = request(facteurPort, '/api/v1/emails', `Authorization: Bearer ${key}\r\n`)
const askReference = request(referencePort, '/reference', '')

async function measure(who: 'facteur' | 'reference', connections: number, ms = runMs): Promise<Run> {
  const [pid, port, ask] =
    who === 'facteur' ? [facteur.pid, facteurPort, askFacteur] : [yardstick.pid, referencePort, askReference]
  const [cpuBefore, postgresBefore] = [cpuOf(pid), cpuOfPostgres(postgres.pid())]
  const measured = await runLoad({ port, connections, ms, request: ask })
  if (measured.refused > 0) throw new Error(`${who} refused ${measured.refused} requests: ${measured.firstRefusal}`)
  const per = (used: number): number => Math.round(used / measured.answered)
  return { ...measured, cpuUs: per(cpuOf(pid) - cpuBefore), postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresBefore) }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const medianRun = (runs: Run[]): Run =>
  runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)] ?? failed()
const failed = (): never => {
  throw new Error('Nothing was measured')
}
const shown = (run: Run) => ({
  per_second: run.perSecond,
  p50_ms: run.p50Ms,
  p99_ms: run.p99Ms,
  cpu_us: run.cpuUs,
  postgres_cpu_us: run.postgresCpuUs,
})

say(`Warming both up for ${(warmUpMs * 2) / 1000} s each`)
for (const connections of [16, 64]) {
  for (const who of ['reference', 'facteur'] as const) await measure(who, connections, warmUpMs)
}
const ratio: Record<string, number> = {}
const figures: Record<string, unknown> = {}
for (const connections of connectionCounts) {
  const pairs: { reference: Run; facteur: Run }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ reference: await measure('reference', connections), facteur: await measure('facteur', connections) })
  }
  ratio[connections] = Math.round(median(pairs.map((pair) => pair.facteur.perSecond / pair.reference.perSecond)) * 100) / 100
  const [ours, theirs] = [medianRun(pairs.map((pair) => pair.facteur)), medianRun(pairs.map((pair) => pair.reference))]
  figures[connections] = { facteur: shown(ours), reference: shown(theirs) }
  say(`${connections} connections: ratio ${ratio[connections]}`)
  for (const [name, run] of Object.entries({ facteur: ours, reference: theirs })) {
    say(
      `  ${name.padEnd(9)} ${run.perSecond}/s, p50 ${run.p50Ms} ms, p99 ${run.p99Ms} ms, CPU ${run.cpuUs} + PostgreSQL ${run.postgresCpuUs} µs a request`,
    )
  }
}
figures['memory_mib'] = { facteur: memoryOf(facteur.pid), reference: memoryOf(yardstick.pid) }
const worker = await startProgram([...serviceFlags, programFile, 'start', '--role', 'worker'], env, (line) =>
  line.includes('"msg":"ready"'),
)
const beside = await measure('facteur', 16)
figures['16_with_a_worker'] = shown(beside)
say(`16 connections while a worker captures: ${beside.perSecond}/s, p50 ${beside.p50Ms} ms, p99 ${beside.p99Ms} ms`)
await Promise.all([worker.stop(), facteur.stop(), yardstick.stop(), db.end()])
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'accept', ratio, figures }))
