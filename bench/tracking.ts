/**
 * How fast opens and clicks are stored and counted: GET of pixels and links by recipients who each
 * come for the first time. Every rule is on, and each call is answered after the commit. The
 * yardstick is bare batched inserts of the same rows into an equal table, in alternating runs on
 * one durable PostgreSQL. The inserts are measured twice: behind a bare Fastify route, whose
 * requests share statements as ours do, and alone, from memory, without any request.
 */
import { serviceFlags } from '../bin/flags.mjs'
import { connect } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { createLinkTokens } from '../src/ground/link-tokens.ts'
import { createSecrets } from '../src/ground/secrets.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { runLoad, type Measured } from './accept/load.ts'
import { cpuOf, cpuOfPostgres, memoryOf, startProgram } from './accept/processes.ts'
import { bareInsert, makeRequests } from './tracking/bare-insert.ts'
import { median } from './accept/median.ts'

const json = process.argv.includes('--json')
const rounds = 5
const runMs = 2000
const warmUpMs = 4000
const connections = 256
const contacts = 400_000
const say = (line: string): void => (json ? console.error(line) : console.log(line))

const postgres = await startPostgres({ durable: true })
const masterKey = Buffer.alloc(32, 7)
const env = {
  DATABASE_URL: postgres.connectionString,
  FACTEUR_MASTER_KEY: masterKey.toString('base64'),
}
const [facteurPort, referencePort] = [await freePort(), await freePort()]
const pathOf = (file: string): string => new URL(file, import.meta.url).pathname
const facteur = await startProgram(
  [...serviceFlags, programFile, 'start', '--role', 'api'],
  { ...env, FACTEUR_PORT: String(facteurPort) },
  (line) => line.includes('"msg":"ready"'),
)
const yardstick = await startProgram(
  [pathOf('tracking/serve-reference.ts'), String(referencePort)],
  env,
  (line) => line === 'ready',
)
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 2,
  statementTimeoutMs: 300_000,
})
const bare = await bareInsert(postgres.connectionString)
const tokens = createLinkTokens(createSecrets(masterKey).derive('links'))

/**
 * A campaign whose mails were handed over an hour ago; the n-th recipient's identifier is its
 * number.
 */
async function handOver(campaignId: string): Promise<void> {
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, format, source, status, sent_at, created_at, updated_at)
    select 1, ${campaignId}, 'Bench', 'Bench', 'text', '""'::json, 'sent', t.at, t.at, t.at from (select clock_timestamp() - interval '1 hour' as at) t`)
  await db.count(sql`
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, sent_at)
    select 1, ${campaignId}, ('019aa5a1-7f00-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'p' || n || '@example.com', 'settled', 'sent', 1, clock_timestamp() - interval '1 hour'
    from generate_series(0, ${contacts}::int - 1) n`)
  await db.count(sql`
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent)
    values (1, ${campaignId}, ${campaignId}, clock_timestamp(), ${contacts}, 0, ${contacts})`)
  await db.count(sql`
    insert into campaign_link (workspace_id, campaign_id, position, url)
    select 1, ${campaignId}, n, 'https://example.com/' || n from generate_series(0, 9) n`)
}

const campaigns = {
  opens: '019aa5a1-7f00-7000-8000-0000000000aa',
  clicks: '019aa5a1-7f00-7000-8000-0000000000bb',
}
say(`Handing two campaigns of ${contacts} recipients over`)
for (const campaignId of Object.values(campaigns)) await handOver(campaignId)

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0',
]
type What = 'opens' | 'clicks' | 'inserts'
const next = { opens: 0, clicks: 0 }

const request = (what: What): Buffer => {
  const contact = what === 'inserts' ? 0 : next[what]++
  const second = `019aa5a1-7f00-7000-8000-${(contact % contacts).toString(16).padStart(12, '0')}`
  const token = tokens.make('track', {
    workspaceId: 1,
    first: what === 'inserts' ? campaigns.opens : campaigns[what],
    second,
  })
  const path = what === 'clicks' ? `/c/${token}/${contact % 10}` : `/o/${token}`
  // A relay fetches pictures only.
  const agent = agents[contact % (what === 'clicks' ? 2 : agents.length)] ?? ''
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${agent}\r\nAccept: */*\r\n\r\n`,
  )
}

interface Run extends Measured {
  cpuUs: number
  postgresCpuUs: number
}

async function measure(what: What, ms = runMs): Promise<Run> {
  const [pid, port] =
    what === 'inserts' ? [yardstick.pid, referencePort] : [facteur.pid, facteurPort]
  const [cpuBefore, postgresBefore] = [cpuOf(pid), cpuOfPostgres(postgres.pid())]
  const measured = await runLoad({ port, connections, ms, request: () => request(what) })
  if (measured.refused > 0)
    throw new Error(`${what}: ${measured.refused} were refused: ${measured.firstRefusal}`)
  const per = (used: number): number => Math.round(used / measured.answered)
  return {
    ...measured,
    cpuUs: per(cpuOf(pid) - cpuBefore),
    postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresBefore),
  }
}

/** Rows a second from memory, two statements of 512 at once. */
async function measureAlone(): Promise<number> {
  const endsAt = performance.now() + runMs
  let rows = 0
  const work = async (): Promise<void> => {
    for (; performance.now() < endsAt; rows += 512) await bare.insert(makeRequests(512))
  }
  await Promise.all([work(), work()])
  return Math.round(rows / (runMs / 1000))
}

const ratio = (ours: number[], theirs: number[]): number =>
  Math.round(median(ours.map((value, index) => value / (theirs[index] ?? NaN))) * 100) / 100
const shown = (runs: Run[]) => ({
  per_second: median(runs.map((run) => run.perSecond)),
  p50_ms: median(runs.map((run) => run.p50Ms)),
  p99_ms: median(runs.map((run) => run.p99Ms)),
  cpu_us: median(runs.map((run) => run.cpuUs)),
  postgres_cpu_us: median(runs.map((run) => run.postgresCpuUs)),
})

say(`Warming all up for ${warmUpMs / 1000} s each`)
for (const what of ['inserts', 'opens', 'clicks'] as const) await measure(what, warmUpMs)
const runs: Record<What, Run[]> = { opens: [], clicks: [], inserts: [] }
const alone: number[] = []
for (let round = 0; round < rounds; round++) {
  for (const what of ['inserts', 'opens', 'clicks'] as const) runs[what].push(await measure(what))
  alone.push(await measureAlone())
}
const perSecond = (what: What): number[] => runs[what].map((run) => run.perSecond)
const ratios = {
  opens: ratio(perSecond('opens'), perSecond('inserts')),
  clicks: ratio(perSecond('clicks'), perSecond('inserts')),
  opens_to_inserts_alone: ratio(perSecond('opens'), alone),
}
const figures = {
  opens: shown(runs.opens),
  clicks: shown(runs.clicks),
  inserts_behind_http: shown(runs.inserts),
  inserts_alone: { per_second: median(alone) },
  memory_mib: { facteur: memoryOf(facteur.pid), reference: memoryOf(yardstick.pid) },
}
for (const what of ['opens', 'clicks', 'inserts'] as const) {
  const { per_second, p50_ms, p99_ms, cpu_us, postgres_cpu_us } = shown(runs[what])
  say(
    `${what.padEnd(7)} ${per_second}/s, p50 ${p50_ms} ms, p99 ${p99_ms} ms, CPU ${cpu_us} + PostgreSQL ${postgres_cpu_us} µs each, of ${connections} connections`,
  )
}
say(`inserts alone, from memory: ${median(alone)}/s`)
say(
  `ratio: opens ${ratios.opens}, clicks ${ratios.clicks}; opens to inserts alone ${ratios.opens_to_inserts_alone}`,
)
const [counted] = await db.rows<{ opens: number; clicks: number }>(sql`
  select (select count from campaign_tally where workspace_id = 1 and campaign_id = ${campaigns.opens} and measure = 'opened') as opens,
    (select count from campaign_tally where workspace_id = 1 and campaign_id = ${campaigns.clicks} and measure = 'clicked') as clicks`)
// Every answered request was counted, each recipient once.
if (
  counted?.opens !== Math.min(contacts, next.opens) ||
  counted.clicks !== Math.min(contacts, next.clicks)
) {
  throw new Error(`Counted ${JSON.stringify(counted)} of ${JSON.stringify(next)}`)
}
await Promise.all([facteur.stop(), yardstick.stop(), db.end(), bare.db.end()])
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'tracking', ratio: ratios, figures }))
