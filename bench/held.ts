/**
 * What a foreign transaction that stays open costs: while it does, PostgreSQL removes no row
 * version that is younger. One service and one database run the same load through several phases:
 * without a holder, with an open snapshot, with an open transaction number, and with an idle
 * replication slot.
 *
 * The load: 160 scheduled messages and 15 single ones a second, and campaigns without a pause, by
 * the SMTP relay into Postfix's `smtp-sink`. Each minute prints what the hot statements read
 * (blocks a call, which a busy machine does not change), their time, the campaign's rate and the
 * admission's latency. The ratios divide each phase by the first.
 */
import { parseArgs } from 'node:util'
import { serviceFlags } from '../bin/flags.mjs'
import { connect } from '../src/database/client/connect.ts'
import { freePort } from '../test/support/free-port.ts'
import { programFile } from '../test/support/program.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { startProgram } from './accept/processes.ts'
import { openShop } from './campaign/world.ts'
import { startCountingPostgres } from './held/counting-postgres.ts'
import { holders, type HolderName } from './held/holders.ts'
import { runPhase, type Phase } from './held/phase.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    recipients: { type: 'string', default: '200000' },
    scheduled: { type: 'string', default: '160' },
    single: { type: 'string', default: '15' },
    phases: { type: 'string', default: Object.keys(holders).join(',') },
  },
})
const [minutes, recipients, scheduled, single] = [
  values.minutes,
  values.recipients,
  values.scheduled,
  values.single,
].map(Number) as [number, number, number, number]
const names = values.phases.split(',').filter((name): name is HolderName => name in holders)
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`held: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
const sink = await startSink()
const postgres = await startCountingPostgres()
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const facteur = await startProgram(
  [...serviceFlags, programFile, 'start'],
  {
    DATABASE_URL: postgres.connectionString,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    FACTEUR_RATE_PER_SECOND: '100000',
  },
  (line) => line.includes('"msg":"ready"'),
)
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 3,
  statementTimeoutMs: 120_000,
})
const shop = await openShop(db, baseUrl, 1)

const phases: Phase[] = []
for (const name of names) {
  say(`\n${name}: ${holders[name].says}`)
  const holder = await holders[name].open(postgres.connectionString)
  phases.push(
    await runPhase({
      name,
      db,
      baseUrl,
      port,
      shop,
      minutes,
      recipients,
      scheduled,
      single,
      say,
      pid: postgres.pid(),
    }),
  )
  await holder.close()
  await db.count({ name: '', text: 'vacuum', values: [] })
}
const [first] = phases
const share = (part: number, whole: number | undefined): number =>
  Math.round((part / (whole ?? NaN)) * 100) / 100
const ratio = Object.fromEntries(
  phases.slice(1).map((phase) => [
    phase.name,
    {
      campaign: share(phase.campaignPerSecond, first?.campaignPerSecond),
      admissions: share(phase.admissionsPerSecond, first?.admissionsPerSecond),
      p99: share(phase.p99Ms, first?.p99Ms),
    },
  ]),
)
for (const [name, each] of Object.entries(ratio)) {
  say(
    `${name}: campaign ${each.campaign}, admissions ${each.admissions}, p99 ${each.p99} of those of ${first?.name}`,
  )
}
await facteur.stop()
await db.end()
await postgres.stop()
sink.stop()
if (values.json) console.log(JSON.stringify({ bench: 'held', ratio, figures: phases }))
