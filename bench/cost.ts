/**
 * What mails cost, for the table of docs/scaling.md: processor time of Facteur and of PostgreSQL, write-ahead log and disk for each
 * mail, once as calls of `POST /emails` that the relay has taken before the answer, and once as a campaign. Both go through the SMTP
 * relay into Postfix's `smtp-sink`, unsigned: `npm run bench -- mx` has the price of signatures. What workers do afterwards counts too.
 * The ratio is the processor time of a campaign's mail divided by that of a call.
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect } from '../src/db/connection/connect.ts'
import { sql } from '../src/db/connection/sql.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { makeLogFiles, sendMessage } from './accept/measured-api.ts'
import { runLoad } from './accept/load.ts'
import { median } from './accept/median.ts'
import { cpuOf, cpuOfPostgres } from './accept/processes.ts'
import { startSetUp, type Process } from './beside/set-ups.ts'
import { openShop, sendAll } from './campaign/world.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    mails: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '3' },
  },
})
const [mails, rounds] = [Number(values.mails), Number(values.rounds)]
const connections = 64
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`cost: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
const sink = await startSink()
const postgres = await startPostgres({ durable: true })
const [facteur] = (await startSetUp('together', {
  DATABASE_URL: postgres.connectionString,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  FACTEUR_SMTP_CONNECTIONS: String(connections),
})) as [Process]
const { port } = facteur
const baseUrl = `http://127.0.0.1:${port}`
const db = connect({ connectionString: postgres.connectionString, poolSize: 2, statementTimeoutMs: 120_000 })

/** Of one mail; the processor time in microseconds. */
interface Cost {
  facteurUs: number
  postgresUs: number
  logBytes: number
  diskBytes: number
}

const caller = await openShop(db, baseUrl, 1)
const request = sendMessage({ port, key: caller.key }, `hello@${caller.domain}`)

/** Each prepares, and answers what sends and says how many. */
const ways = {
  call: () => Promise.resolve(sendCalls),
  campaign: async () => {
    const shop = await openShop(db, baseUrl, mails)
    return async (): Promise<number> => (await sendAll(db, baseUrl, shop), mails)
  },
}

async function sendCalls(): Promise<number> {
  let answered = 0
  while (answered < mails) {
    const run = await runLoad({ port, connections, ms: 4_000, request })
    if (run.refused > 0) throw new Error(run.firstRefusal)
    answered += run.answered
  }
  return answered
}

async function costOf(send: () => Promise<number>): Promise<Cost> {
  await untilAtRest()
  await db.count({ name: '', text: 'checkpoint', values: [] })
  const before = await read()
  const count = await send()
  await untilAtRest()
  const after = await read()
  const each = (key: keyof Cost): number => Math.round((after[key] - before[key]) / count)
  return {
    facteurUs: each('facteurUs'),
    postgresUs: each('postgresUs'),
    logBytes: each('logBytes'),
    diskBytes: each('diskBytes'),
  }
}

/** So far, of all mails. */
async function read(): Promise<Cost> {
  const [row] = await db.rows<{ log: number; disk: number }>(sql`
    select (pg_current_wal_lsn() - '0/0')::float8 as log, pg_database_size(current_database())::float8 as disk`)
  return {
    facteurUs: cpuOf(facteur.pid),
    postgresUs: cpuOfPostgres(postgres.pid()),
    logBytes: row?.log ?? 0,
    diskBytes: row?.disk ?? 0,
  }
}

/** A second in which the service and PostgreSQL use less than a tenth of a processor. */
async function untilAtRest(): Promise<void> {
  for (;;) {
    const used = cpuOf(facteur.pid) + cpuOfPostgres(postgres.pid())
    await setTimeout(1_000)
    if (cpuOf(facteur.pid) + cpuOfPostgres(postgres.pid()) - used < 100_000) return
  }
}

await makeLogFiles(postgres)
for (const prepare of Object.values(ways)) await costOf(await prepare())
const costs = { call: [] as Cost[], campaign: [] as Cost[] }
for (let round = 0; round < rounds; round++) {
  for (const [way, prepare] of Object.entries(ways)) costs[way as keyof typeof ways].push(await costOf(await prepare()))
}
await facteur.stop()
await db.end()
await postgres.stop()
sink.stop()

const medianOf = (all: Cost[]): Cost => {
  const of = (key: keyof Cost): number => median(all.map((cost) => cost[key]))
  return { facteurUs: of('facteurUs'), postgresUs: of('postgresUs'), logBytes: of('logBytes'), diskBytes: of('diskBytes') }
}
const figures = { call: medianOf(costs.call), campaign: medianOf(costs.campaign) }
const timeOf = ({ facteurUs, postgresUs }: Cost): number => facteurUs + postgresUs
const ratio = Math.round((timeOf(figures.campaign) / timeOf(figures.call)) * 100) / 100
for (const [way, cost] of Object.entries(figures)) say(`A million mails, ${way}: ${describe(cost)}`)
say(`ratio ${ratio}`)
if (values.json) console.log(JSON.stringify({ bench: 'cost', ratio, figures }))

/** A microsecond of each mail is a second of a million; a byte of each is a megabyte. */
function describe({ facteurUs, postgresUs, logBytes, diskBytes }: Cost): string {
  const minutes = (us: number): string => (us / 60).toFixed(1)
  return `${minutes(facteurUs)} processor minutes of Facteur, ${minutes(postgresUs)} of PostgreSQL, ${logBytes / 1_000} GB of log, ${diskBytes / 1_000} GB of disk`
}
