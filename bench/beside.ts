/**
 * What single mail feels of a campaign: `POST /emails` at a steady rate, in turns while a campaign
 * of the same workspace is paused and while it is sent, through the SMTP relay into Postfix's
 * `smtp-sink`. The calls do not wait for one another, and each is timed from the moment it was
 * planned for. The ratio is the median, over all rounds, of the p99 during the campaign divided by
 * that alone.
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect, type Connection } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { cancelBatches, pauseBatches, resumeBatches } from '../src/db/campaigns/campaign-control.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { makeLogFiles } from './accept/measured-api.ts'
import { median } from './accept/median.ts'
import { cpuOf, cpuOfPostgres } from './accept/processes.ts'
import { callSteadily } from './beside/call-steadily.ts'
import {
  readLoopDelay,
  setUps,
  startSetUp,
  type Process,
  type SetUpName,
} from './beside/set-ups.ts'
import { beginSending, openShop, sendAll, type Shop } from './campaign/world.ts'
import { quantile, round } from './pages/figures.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '50' },
    'set-ups': { type: 'string', default: Object.keys(setUps).join(',') },
  },
})
const [recipients, rounds, seconds, perSecond] = [
  values.recipients,
  values.rounds,
  values.seconds,
  values.rate,
].map(Number) as [number, number, number, number]
const names = values['set-ups'].split(',').filter((name): name is SetUpName => name in setUps)
/** How long a campaign takes to come to rest or to its pace, in milliseconds. */
const changeMs = 1_000
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`beside: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
const sink = await startSink()

interface Window {
  took: number[]
  campaignPerSecond: number
  /** By process, the p99 of the event loop's delay in milliseconds. */
  loopDelayMs: Record<string, number>
  /** By process and of PostgreSQL, percent of a core. */
  cpu: Record<string, number>
}

async function measureSetUp(name: SetUpName) {
  const postgres = await startPostgres({ durable: true })
  const processes = await startSetUp(name, {
    DATABASE_URL: postgres.connectionString,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  })
  const [api] = processes as [Process]
  const baseUrl = `http://127.0.0.1:${api.port}`
  const db = connect({
    connectionString: postgres.connectionString,
    poolSize: 2,
    statementTimeoutMs: 600_000,
  })
  await sendAll(db, baseUrl, await openShop(db, baseUrl, 10_000))
  const shop = await openShop(db, baseUrl, recipients)
  const campaign = { workspaceId: shop.id, campaignId: shop.campaignId }
  const cpuNow = (): Record<string, number> => ({
    ...Object.fromEntries(processes.map((each) => [each.name, cpuOf(each.pid)])),
    PostgreSQL: cpuOfPostgres(postgres.pid()),
  })
  const measure = async (ms: number): Promise<Window> => {
    const [before, handedBefore] = [cpuNow(), await handedOver(db, shop)]
    await Promise.all(processes.map(readLoopDelay))
    const took = await callSteadily({
      port: api.port,
      key: shop.key,
      perSecond,
      ms,
      body: mailOf(shop),
    })
    const loopDelayMs = Object.fromEntries(
      await Promise.all(
        processes.map(async (each) => [each.name, round(await readLoopDelay(each), 1)] as const),
      ),
    )
    const after = cpuNow()
    return {
      ...{ took, loopDelayMs },
      campaignPerSecond: Math.round((((await handedOver(db, shop)) - handedBefore) * 1_000) / ms),
      cpu: Object.fromEntries(
        Object.entries(after).map(([who, us]) => [
          who,
          Math.round((us - (before[who] ?? 0)) / ms / 10),
        ]),
      ),
    }
  }

  await db.count({ name: '', text: 'vacuum (analyze) subscriber', values: [] })
  await makeLogFiles(postgres)
  await measure(5_000)
  const frozen = new AbortController()
  const freezes = beginSending(baseUrl, shop).finally(() => frozen.abort())
  const freezing: Window[] = []
  while (!frozen.signal.aborted) freezing.push(await measure(1_000))
  await freezes
  await pauseBatches(db, campaign, 'person')
  await db.count({ name: '', text: 'checkpoint', values: [] })
  const tookFreezing = freezing.flatMap(({ took }) => took)
  say(
    `${name}: p50 ${round(quantile(tookFreezing, 0.5))} ms, p99 ${round(quantile(tookFreezing, 0.99))} ms while the list of ${recipients} is frozen`,
  )
  const [alone, during]: [Window[], Window[]] = [[], []]
  for (let at = 0; at < rounds; at++) {
    await setTimeout(changeMs)
    const rests = await measure(seconds * 1_000)
    await resumeBatches(db, campaign)
    await setTimeout(changeMs)
    const runs = await measure(seconds * 1_000)
    if (runs.campaignPerSecond === 0) break
    alone.push(rests)
    during.push(runs)
    await pauseBatches(db, campaign, 'person')
    say(`  alone ${describe(rests)}\n  during ${describe(runs)}`)
  }
  await cancelBatches(db, campaign)
  for (const each of processes) await each.stop()
  await db.end()
  await postgres.stop()
  const of = (windows: Window[]) => {
    const took = windows.flatMap((window) => window.took)
    return {
      calls: took.length,
      p50_ms: round(quantile(took, 0.5)),
      p99_ms: round(quantile(took, 0.99)),
    }
  }
  const [rested, ran] = [of(alone), of(during)]
  const campaignPerSecond = median(during.map((window) => window.campaignPerSecond))
  const p99 = ({ took }: Window): number => quantile(took, 0.99)
  const ratios = during.map((runs, at) => p99(runs) / p99(alone[at] ?? runs))
  const ratio = round(median(ratios))
  say(
    `${name}: POST /emails at ${perSecond} a second, alone p50 ${rested.p50_ms} ms, p99 ${rested.p99_ms} ms; ` +
      `during a campaign of ${recipients} at ${campaignPerSecond}/s p50 ${ran.p50_ms} ms, p99 ${ran.p99_ms} ms; ratio of p99, median of the rounds: ${ratio}`,
  )
  return {
    ratio,
    figures: {
      ratios: ratios.map((each) => round(each)),
      alone: rested,
      during: ran,
      campaign_per_second: campaignPerSecond,
    },
  }
}

function describe({ took, campaignPerSecond, loopDelayMs, cpu }: Window): string {
  const delays = Object.entries(loopDelayMs).map(([who, ms]) => `${who} ${ms} ms`)
  const used = Object.entries(cpu).map(([who, percent]) => `${who} ${percent} %`)
  return (
    `p50 ${round(quantile(took, 0.5))} ms, p99 ${round(quantile(took, 0.99))} ms, campaign ${campaignPerSecond}/s, ` +
    `event loop late by ${delays.join(', ')}, CPU ${used.join(', ')}`
  )
}

const html = `<p>${'Bonjour tout le monde, voici un message. '.repeat(60).slice(0, 2041)}</p>`
const mailOf =
  ({ domain }: Shop) =>
  (sequence: number) => ({
    from: `hello@${domain}`,
    to: `single${sequence}@example.com`,
    subject: 'Bonjour',
    html,
  })

const handedOver = (db: Connection, { id, campaignId }: Shop): Promise<number> =>
  db
    .value<number>(
      sql`select handed_over::float8 from campaign_run where workspace_id = ${id} and campaign_id = ${campaignId}`,
    )
    .then((count) => count ?? 0)

const results: Record<string, Awaited<ReturnType<typeof measureSetUp>>> = {}
for (const name of names) results[name] = await measureSetUp(name)
sink.stop()
const ratio = Object.fromEntries(
  Object.entries(results).map(([name, result]) => [name, result.ratio]),
)
if (values.json) console.log(JSON.stringify({ bench: 'beside', ratio, figures: results }))
