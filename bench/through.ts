/**
 * How fast messages go through: POST /emails handed to a relay before the answer, divided by POST /emails that is answered when the
 * message is accepted (the capture provider). Both are `start --role api` on databases of one PostgreSQL, in alternating runs; the
 * relay is Postfix's `smtp-sink`, a process of its own.
 */
import { serviceFlags } from '../bin/flags.mjs'
import pg from 'pg'
import { connect } from '../src/db/connection/connect.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { runLoad, type Measured } from './accept/load.ts'
import { cpuOf, cpuOfPostgres, startProgram } from './accept/processes.ts'

const json = process.argv.includes('--json')
const rounds = 5
const runMs = 2500
const warmUpMs = 15_000
const connectionCounts = [1, 16, 64]

const say = (line: string): void => (json ? console.error(line) : console.log(line))
const html = `<p>${'Bonjour tout le monde, voici un message. '.repeat(60).slice(0, 2041)}</p>`

if (whyNoSink !== null) {
  console.error(`through: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}

interface Run extends Measured {
  cpuUs: number
  postgresCpuUs: number
}

interface Service {
  pid: number
  port: number
  key: string
  url: string
  stop(): Promise<void>
}

const postgres = await startPostgres({ durable: true })
const sink = await startSink()
const admin = new pg.Client({ connectionString: postgres.connectionString })
await admin.connect()

async function startService(name: string, settings: Record<string, string>): Promise<Service> {
  await admin.query(`create database ${name}`)

  const url = postgres.connectionString.replace('/facteur?', `/${name}?`)
  const port = await freePort()
  let key = ''
  const program = await startProgram(
    [...serviceFlags, programFile, 'start', '--role', 'api'],
    {
      ...settings,
      DATABASE_URL: url,
      FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      FACTEUR_PORT: String(port),
    },
    (line) => {
      key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
      return line.includes('"msg":"ready"')
    },
  )
  const db = connect({ connectionString: url, poolSize: 1 })
  // Every request is counted against the rate; none is to be refused by it.
  await setRatePerMinute(db, 1, 100_000_000)
  await db.end()
  return { ...program, port, key, url: url }
}

const services = {
  accepted: await startService('accepted', {}),
  through: await startService('through', {
    FACTEUR_PROVIDER: 'smtp-relay',
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    FACTEUR_SMTP_CONNECTIONS: String(Math.max(...connectionCounts)),
  }),
}
type Way = keyof typeof services

// A server that has run for a while has log files to write into; a new one makes them while it is measured.
for (let file = 0; file < 40; file++) {
  await admin.query("select pg_switch_wal() from (select pg_logical_emit_message(false, '', '')) written")
}
await admin.query('checkpoint')

async function measure(way: Way, connections: number, ms = runMs): Promise<Run> {
  const { pid, port, key } = services[way]
  const head = `POST /api/v1/emails HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const request = (sequence: number): Buffer => {
    const text = JSON.stringify({
      ...{ from: 'Demo <hello@demo.test>', to: [`person${sequence}@example.com`], subject: 'Bonjour', html },
    })
    return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const [cpuBefore, postgresBefore] = [cpuOf(pid), cpuOfPostgres(postgres.pid())]
  const measured = await runLoad({ port, connections, ms, request })
  if (measured.refused > 0) throw new Error(`${way}: ${measured.refused} calls were refused: ${measured.firstRefusal}`)
  const per = (used: number): number => Math.round(used / measured.answered)
  return { ...measured, cpuUs: per(cpuOf(pid) - cpuBefore), postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresBefore) }
}

const middle = <T>(sorted: T[]): T => sorted[Math.floor(sorted.length / 2)] ?? failed()
const failed = (): never => {
  throw new Error('Nothing was measured')
}
const medianRun = (runs: Run[]): Run => middle(runs.toSorted((a, b) => a.perSecond - b.perSecond))

say(`Warming both up for ${(warmUpMs * 2) / 1000} s each`)
for (const connections of [16, 64]) for (const way of ['accepted', 'through'] as const) await measure(way, connections, warmUpMs)
const ratio: Record<string, number> = {}
const figures: Record<string, unknown> = {}
for (const connections of connectionCounts) {
  const pairs: Record<Way, Run>[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ accepted: await measure('accepted', connections), through: await measure('through', connections) })
  }
  const ratios = pairs.map(({ accepted, through }) => through.perSecond / accepted.perSecond)
  ratio[connections] = Math.round(middle(ratios.toSorted((a, b) => a - b)) * 100) / 100
  const runs = { accepted: medianRun(pairs.map((pair) => pair.accepted)), through: medianRun(pairs.map((pair) => pair.through)) }
  figures[connections] = runs
  say(`${connections} connections: ratio ${ratio[connections]}`)
  for (const [way, run] of Object.entries(runs)) {
    say(
      `  ${way.padEnd(8)} ${run.perSecond}/s, p50 ${run.p50Ms} ms, p99 ${run.p99Ms} ms, CPU ${run.cpuUs} + PostgreSQL ${run.postgresCpuUs} µs a request`,
    )
  }
}
await checkHandedOver()
await Promise.all([services.accepted.stop(), services.through.stop(), admin.end()])
sink.stop()
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'through', ratio, figures }))

/** No worker runs, so a call that found no connection free would have been answered without its hand-off. */
async function checkHandedOver(): Promise<void> {
  const client = new pg.Client({ connectionString: services.through.url })
  await client.connect()
  const { rows } = await client.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from recipient group by status',
  )
  await client.end()
  const waiting = rows.find(({ status }) => status !== 'sent')
  if (waiting) throw new Error(`${waiting.count} messages were answered and are ${waiting.status}`)
}
