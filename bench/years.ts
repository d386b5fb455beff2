/**
 * Years of data in minutes: each simulated day gets its messages with texts, events, deliveries of
 * webhooks, opens, clicks, reports and calls, and each night the product's own maintenance. Every
 * class is limited to about a month, so that the disk must stop growing.
 *
 * The clock of the database moves on, as in the tests. Rows are written by SQL; indexing, claims,
 * lists, partitions and deletions are the product's. Autovacuum follows the real time, so that each
 * night vacuums what autovacuum would have met during that day.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { serviceFlags } from '../bin/flags.mjs'
import { systemClock } from '../src/ground/clock.ts'
import { retentionClasses, retentionClassNames } from '../src/contract/retention.ts'
import { indexMessages } from '../src/core/message-index/index-messages.ts'
import { connect } from '../src/database/client/connect.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { diskByClass, totalOf, type DiskSample } from '../src/db/retention/disk-by-class.ts'
import { expireRows } from '../src/db/retention/expire-rows.ts'
import { maintainPartitions } from '../src/db/retention/maintain-partitions.ts'
import { setInstallationRetention } from '../src/db/retention/retention-limits.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { moveClock } from '../test/support/database.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { startProgram } from './accept/processes.ts'
import { round } from './pages/figures.ts'
import { createFiller } from './years/fill-day.ts'
import { measureLatencies, type Latencies } from './years/latencies.ts'
import { vacuumDue } from './years/vacuum-due.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    days: { type: 'string', default: '90' },
    'messages-per-day': { type: 'string', default: '100000' },
  },
})
const [days, perDay] = [Number(values.days), Number(values['messages-per-day'])]
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))
const limitDays = 30
/** Latencies are compared with those of so many messages. */
const baseMessages = 100_000

// Rows expire at night, by the time zone of the process.
process.env['TZ'] = 'UTC'
const dayMs = 86_400_000

const postgres = await startPostgres({ durable: true })
const url = postgres.connectionString
await migrate(url)
const db = connect({ connectionString: url, poolSize: 3, statementTimeoutMs: 600_000 })
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query('set synchronous_commit = off')
const port = await freePort()
let key = ''
const service = await startProgram(
  [...serviceFlags, programFile, 'start', '--role', 'api'],
  {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
  },
  (line) => {
    key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
    return line.includes('"msg":"ready"')
  },
)
await setRatePerMinute(db, 1, 100_000_000)
for (const name of retentionClassNames)
  await setInstallationRetention(
    db,
    name,
    Math.max(
      Math.min(limitDays, retentionClasses[name].daysDefault ?? limitDays),
      retentionClasses[name].daysMin,
    ),
  )

interface Day {
  day: number
  messages: number
  disk: DiskSample[]
  mb: number
  maintenance: { partitions: number; rows: number; vacuum: number; fill: number }
  latencies: Latencies | null
}

const firstMs = Math.floor(Date.now() / dayMs) * dayMs + dayMs
const filler = await createFiller(client, { perDay, base: `http://127.0.0.1:${port}`, key })
const log = {
  error: ({ err }: { err?: unknown }): void => {
    throw err
  },
}
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
const setClock = (ms: number): Promise<void> =>
  moveClock(url, `${(ms - Date.now()) / 1000} seconds`)

const passed: Day[] = []
say(
  `${days} days of ${perDay} messages, every class limited to ${limitDays} days, or 31 where it may not be shorter`,
)
try {
  for (let day = 1; day <= days; day++) await pass(day)
  summarize()
} finally {
  await service.stop()
  await client.end()
  await db.end()
  await postgres.stop()
}

async function pass(day: number): Promise<void> {
  const startMs = firstMs + (day - 1) * dayMs
  await setClock(startMs + dayMs - 3_600_000)
  const fill = await seconds(() => filler.fill(day, startMs))
  await index()
  const isMeasured = day === 1 || day % 10 === 0 || day * perDay === baseMessages
  const latencies = isMeasured
    ? await measureLatencies(db, client, { port, key, webhookId: filler.webhookId })
    : null
  // The next night, at two o'clock.
  await setClock(startMs + dayMs + 7_200_000)
  const partitions = await seconds(() => maintainPartitions({ db, log }))
  const rows = await seconds(() =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    ),
  )
  const vacuum = await seconds(() => vacuumDue(client))
  const disk = await diskByClass(db)
  const mb = round(totalOf(disk) / 1e6, 1)
  const item: Day = {
    day,
    messages: day * perDay,
    disk,
    mb,
    maintenance: { partitions, rows, vacuum, fill },
    latencies,
  }
  passed.push(item)
  if (isMeasured || day === limitDays) report(item)
}

/** The mark of the index follows the clock a look later. */
async function index(): Promise<void> {
  for (let polls = 0; polls < 3; polls++)
    while (!(await indexMessages({ db, clock: systemClock }, { workspaceId: 1 })));
}

function report({ day, disk, mb, maintenance, latencies }: Day): void {
  const classes = disk.map((sample) => `${sample.class} ${round(sample.bytes / 1e6, 0)}`).join(', ')
  const { partitions, rows, vacuum, fill } = maintenance
  say(`day ${day}: ${mb} MB (${classes})`)
  say(
    `  maintenance: partitions ${round(partitions)} s, rows ${round(rows)} s, vacuum ${round(vacuum)} s; made in ${round(fill)} s`,
  )
  if (latencies)
    say(
      `  ms: ${Object.entries(latencies)
        .map(([name, ms]) => `${name} ${round(ms)}`)
        .join(', ')}`,
    )
}

function summarize(): void {
  const base =
    passed.find(({ messages, latencies }) => latencies && messages >= baseMessages) ?? passed[0]
  const last = passed.findLast(({ latencies }) => latencies)
  const ratio = Object.fromEntries(
    Object.entries(last?.latencies ?? {}).map(([name, ms]) => [
      name,
      round(ms / (base?.latencies?.[name] ?? ms)),
    ]),
  )
  say(
    `latencies on day ${last?.day} divided by those on day ${base?.day}: ${JSON.stringify(ratio)}`,
  )
  const steady = passed.filter(({ day }) => day >= limitDays)
  const sizes = steady.map(({ mb }) => mb)
  const [min, max] = [Math.min(...sizes), Math.max(...sizes)]
  const spread = round((100 * (max - min)) / (max + min), 1)
  const monthly = [1, 31, 61].flatMap((from) => {
    const month = passed.filter(({ day }) => day >= from && day < from + 30)
    return month.length === 0
      ? []
      : [round(month.reduce((sum, { mb }) => sum + mb, 0) / month.length, 0)]
  })
  const worst = Math.max(
    ...passed.map(
      ({ maintenance }) => maintenance.partitions + maintenance.rows + maintenance.vacuum,
    ),
  )
  if (steady.length > 0)
    say(
      `disk from day ${limitDays} on: ${min} to ${max} MB, ±${spread} % (goal ±10 %); mean of each month ${monthly.join(', ')} MB`,
    )
  say(`the longest night took ${round(worst, 1)} s`)
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'years',
        perDay,
        days,
        spread,
        min,
        max,
        monthly,
        ratio,
        longestNightSeconds: round(worst, 1),
        passed,
      }),
    )
}
