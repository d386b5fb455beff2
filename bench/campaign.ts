/**
 * How fast a campaign is handed over, with ledger, tokens and tracking links: recipients a second
 * from the send to the last 250, through the SMTP relay into Postfix's `smtp-sink`. The yardstick
 * is `smtp-source -d` into the same sink, with mails of the same size and as many connections. Runs
 * alternate; medians are printed. Then what a recipient of a segment of half costs beside one of
 * everybody (above 1.05 is a failure), also where it leaves out who received a campaign, what `POST /emails` feels of it, and whether
 * memory depends on the number of recipients.
 *
 * The service is one process with all roles, as operators start it, on a durable PostgreSQL.
 */
import { parseArgs } from 'node:util'
import { serviceFlags } from '../bin/flags.mjs'
import { connect } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { openTemplate } from '../src/mail/campaign/campaign-template.ts'
import type { CompiledCampaign } from '../src/mail/merge/compiled-campaign.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { runLoad } from './accept/load.ts'
import { cpuOf, cpuOfPostgres, memoryOf, startProgram } from './accept/processes.ts'
import {
  chooseHalf,
  openShop,
  sendAll,
  sendScheduled,
  type Half,
  type Shop,
} from './campaign/world.ts'
import { median } from './accept/median.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '50' },
    many: { type: 'string', default: '1000000' },
  },
})
const [recipients, rounds, connections, many] = [
  values.recipients,
  values.rounds,
  values.connections,
  values.many,
].map(Number) as [number, number, number, number]
const few = 10_000
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`campaign: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
const sink = await startSink()
const postgres = await startPostgres({ durable: true })
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`
const facteur = await startProgram(
  [...serviceFlags, programFile, 'start'],
  {
    DATABASE_URL: postgres.connectionString,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    FACTEUR_SMTP_CONNECTIONS: String(connections),
  },
  (line) => line.includes('"msg":"ready"'),
)
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 2,
  statementTimeoutMs: 120_000,
})

interface Run {
  perSecond: number
  cpuUs: number
  postgresCpuUs: number
}

async function runOurs(shop: Shop, count: number): Promise<Run> {
  const [cpu, postgresCpu] = [cpuOf(facteur.pid), cpuOfPostgres(postgres.pid())]
  const { seconds } = await sendAll(db, baseUrl, shop)
  const per = (used: number): number => Math.round(used / count)
  return {
    perSecond: Math.round(count / seconds),
    cpuUs: per(cpuOf(facteur.pid) - cpu),
    postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresCpu),
  }
}

/** Bytes of one recipient's mail, so that the source sends as many. */
async function bytesOf({ id, campaignId }: Shop): Promise<number> {
  const [row] = await db.rows<{ compiled: CompiledCampaign }>(sql`
    select compiled from campaign where workspace_id = ${id} and id = ${campaignId}`)
  if (!row) throw new Error('The campaign is gone')
  const token = 'x'.repeat(64)
  const contact = {
    email: 'person1@example.com',
    firstName: 'Person1',
    lastName: 'Example',
    fields: {},
  }
  const tokens = { unsubscribe: token, view: token, track: token }
  return openTemplate(row.compiled).fill({
    ...contact,
    tokens,
    messageId: `${'x'.repeat(65)}@bench.test`,
    date: new Date(),
  }).bytes.length
}

const round = (number: number): number => Math.round(number * 100) / 100

const warm = await openShop(db, baseUrl, few)
await runOurs(warm, few)
const bytes = await bytesOf(warm)
say(`Mails of ${bytes} bytes, ${connections} connections, ${recipients} recipients a round`)
const ours: Run[] = []
const theirs: number[] = []
for (let at = 0; at < rounds; at++) {
  const shop = await openShop(db, baseUrl, recipients)
  await db.count({ name: '', text: 'checkpoint', values: [] })
  theirs.push(await sink.runSource({ connections, messages: recipients, bytes }))
  ours.push(await runOurs(shop, recipients))
  const run = ours.at(-1)
  say(
    `  ${run?.perSecond}/s, CPU ${run?.cpuUs} + PostgreSQL ${run?.postgresCpuUs} µs a recipient; smtp-source ${Math.round(theirs.at(-1) ?? 0)}/s`,
  )
}
const ratios = ours.map((run, at) => run.perSecond / (theirs[at] ?? NaN))
const ratio = round(median(ratios))
say(`ratio ${ratio}`)

/** CPU of both programs for a recipient, the freeze included, in microseconds. */
async function costOf(to: 'everybody' | Half): Promise<number> {
  const shop = await openShop(db, baseUrl, to === 'everybody' ? recipients : 2 * recipients)
  if (to !== 'everybody') await chooseHalf(db, shop, to)
  // Else a worker of PostgreSQL's own does it while something is measured.
  await db.count({ name: '', text: 'vacuum (analyze)', values: [] })
  await db.count({ name: '', text: 'checkpoint', values: [] })
  const before = cpuOf(facteur.pid) + cpuOfPostgres(postgres.pid())
  await sendScheduled(db, shop)
  return Math.round((cpuOf(facteur.pid) + cpuOfPostgres(postgres.pid()) - before) / recipients)
}

const ofEverybodyMax = 1.05
const ways = ['everybody', 'half', 'excluding'] as const
const costs: Record<'everybody' | Half, number>[] = []
for (let at = 0; at < rounds; at++) {
  const cost = { everybody: 0, half: 0, excluding: 0 }
  // Tables grow from one to the next, so that each way is the first as often as the last.
  for (const way of at % 2 ? ways.toReversed() : ways) cost[way] = await costOf(way)
  costs.push(cost)
}

function ofEverybody(half: Half): number {
  const shares = costs.map((each) => each[half] / each.everybody)
  const us = costs.map((each) => `${each[half]}/${each.everybody}`).join(', ')
  const share = round(median(shares))
  say(
    `a segment of half${half === 'excluding' ? ' without who received a campaign' : ''} costs ${share} of what everybody costs, a recipient (${share > ofEverybodyMax ? 'OVER' : 'within'} ${ofEverybodyMax}): ${us} µs`,
  )
  return share
}

const shares = { half: ofEverybody('half'), excluding: ofEverybody('excluding') }
if (Math.max(shares.half, shares.excluding) > ofEverybodyMax) process.exitCode = 1

/** A hundred calls a second or so: single mail beside a campaign, not the machine's maximum. */
const single = { email: await openShop(db, baseUrl, 1) }
const askOne = (sequence: number): Buffer => {
  const body = JSON.stringify({
    from: `hello@${single.email.domain}`,
    to: `single${sequence}@example.com`,
    subject: 'x',
    text: 'x'.repeat(2_000),
  })
  const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${single.email.key}\r\nContent-Type: application/json\r\n`
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
const beside = { port, connections: 8, ms: 4_000, restMs: 70, request: askOne }
await runLoad(beside)
const alone: number[] = []
const during: number[] = []
const shops: Shop[] = []
for (let at = 0; at < 3; at++) shops.push(await openShop(db, baseUrl, 40_000))
await db.count({ name: '', text: 'checkpoint', values: [] })
for (const shop of shops) {
  alone.push((await runLoad(beside)).p99Ms)
  const [measured] = await Promise.all([runLoad(beside), sendAll(db, baseUrl, shop)])
  if (measured.refused > 0) throw new Error(measured.firstRefusal)
  during.push(measured.p99Ms)
}
say(`POST /emails, p99: ${alone.join(', ')} ms alone; ${during.join(', ')} ms during a campaign`)

const memory: Record<string, number> = {}
for (const count of many > 0 ? [few, many] : []) {
  const shop = await openShop(db, baseUrl, count)
  let max = 0
  const watching = setInterval(() => (max = Math.max(max, memoryOf(facteur.pid))), 100)
  const { seconds, freezeSeconds } = await sendAll(db, baseUrl, shop, 200)
  clearInterval(watching)
  memory[count] = max
  say(
    `${count} recipients: ${Math.round(count / seconds)}/s, frozen in ${round(freezeSeconds)} s, at most ${max} MiB`,
  )
}
await facteur.stop()
await db.end()
await postgres.stop()
sink.stop()
const figures = {
  bytes,
  connections,
  recipients,
  per_second: median(ours.map((run) => run.perSecond)),
  smtp_source_per_second: Math.round(median(theirs)),
  ratios: ratios.map(round),
  cpu_us: median(ours.map((run) => run.cpuUs)),
  postgres_cpu_us: median(ours.map((run) => run.postgresCpuUs)),
  p99_ms: { alone, during, ratio: round(median(during) / median(alone)) },
  memory_mib: memory,
  half_of_everybody: { ratio: shares.half, excluding: shares.excluding, costs_us: costs },
}
if (values.json) console.log(JSON.stringify({ bench: 'campaign', ratio, figures }))
