/**
 * One phase: the load, a report each minute, and at its end how many admissions a second the
 * service takes at most.
 */
import { setTimeout } from 'node:timers/promises'
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { runLoad } from '../accept/load.ts'
import { cpuOfPostgres } from '../accept/processes.ts'
import { openShop, sendAll, type Shop } from '../campaign/world.ts'
import { hotStatements, hotTables, resetStatements } from './figures.ts'

export interface Phase {
  name: string
  campaignPerSecond: number
  admissionsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Blocks that one call of a hot statement read, in each minute. */
  minutes: Record<string, number>[]
}

export interface Requested {
  name: string
  db: Connection
  baseUrl: string
  port: number
  shop: Shop
  minutes: number
  recipients: number
  scheduled: number
  single: number
  /** Of PostgreSQL. */
  pid: number
  say(line: string): void
}

export async function runPhase(request: Requested): Promise<Phase> {
  const { name, db, port, shop, minutes, say } = request
  const ms = minutes * 60_000
  const ending = new AbortController()
  const campaigns = sendCampaigns(request, ending.signal)
  const scheduled = runLoad({ port, ...paced(request.scheduled, ms), request: mailOf(shop, 3_000) })
  const single = runLoad({ port, ...paced(request.single, ms), request: mailOf(shop, null) })
  const reports: Record<string, number>[] = []
  let before = await handedOver(db)
  const first = { count: before, atMs: performance.now() }
  await resetStatements(db)
  for (let minute = 1; minute <= minutes; minute++) {
    const [atMs, cpu] = [performance.now(), cpuOfPostgres(request.pid)]
    await setTimeout(60_000)
    const count = await handedOver(db)
    const perSecond = Math.round(((count - before) * 1_000) / (performance.now() - atMs))
    before = count
    const statements = await hotStatements(db)
    await resetStatements(db)
    say(
      `minute ${minute}: campaigns ${perSecond}/s, PostgreSQL ${Math.round((cpuOfPostgres(request.pid) - cpu) / 600_000)} % of a core`,
    )
    for (const { what, calls, blocks, meanMs } of statements)
      say(`  ${what.padEnd(28)} ${calls} calls, ${blocks} blocks, ${meanMs} ms`)
    say(`  ${(await hotTables(db)).join('; ')}`)
    reports.push(Object.fromEntries(statements.map(({ what, blocks }) => [what, blocks])))
  }
  const campaignPerSecond = Math.round(
    ((before - first.count) * 1_000) / (performance.now() - first.atMs),
  )
  const [measured, ofScheduled] = await Promise.all([single, scheduled])
  ending.abort()
  await campaigns
  const refused = measured.refused + ofScheduled.refused
  if (refused > 0)
    throw new Error(
      `${refused} calls were refused: ${measured.firstRefusal}${ofScheduled.firstRefusal}`,
    )
  const burst = await runLoad({
    port,
    connections: 16,
    ms: 5_000,
    request: mailOf(shop, 3_600_000),
  })
  const phase = {
    ...{
      name,
      campaignPerSecond,
      admissionsPerSecond: burst.perSecond,
      p50Ms: measured.p50Ms,
      p99Ms: measured.p99Ms,
    },
    minutes: reports,
  }
  say(
    `${name}: campaigns ${campaignPerSecond}/s, admissions at most ${burst.perSecond}/s, POST /emails p50 ${measured.p50Ms} ms, p99 ${measured.p99Ms} ms`,
  )
  return phase
}

/**
 * Connections and rests that make so many calls a second. `runLoad` adds a quarter that it does not
 * count.
 */
const paced = (perSecond: number, ms: number) => {
  const connections = Math.max(1, Math.ceil(perSecond / 10))
  return { connections, ms: ms / 1.25, restMs: Math.max(1, (connections * 1_000) / perSecond - 4) }
}

const mailOf = ({ key, domain }: Shop, laterMs: number | null) => {
  const html = 'x'.repeat(2_000)
  return (sequence: number): Buffer => {
    const at =
      laterMs === null ? {} : { scheduled_at: new Date(Date.now() + laterMs).toISOString() }
    const body = JSON.stringify({
      from: `hello@${domain}`,
      to: `p${sequence}@example.com`,
      subject: 'x',
      text: html,
      ...at,
    })
    const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
    return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
}

/** One campaign after the other, each of a workspace of its own, until the phase ends. */
async function sendCampaigns(
  { db, baseUrl, recipients }: Requested,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    const shop = await openShop(db, baseUrl, recipients)
    await Promise.race([
      sendAll(db, baseUrl, shop, 200),
      new Promise((resolve) => ending.addEventListener('abort', resolve, { once: true })),
    ])
    if (ending.aborted) {
      await fetch(`${baseUrl}/api/v1/campaigns/${shop.campaignId}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shop.key}` },
      })
    }
  }
}

const handedOver = (db: Connection): Promise<number> =>
  db.onlyValue<number>(sql`select coalesce(sum(handed_over), 0)::float8 as count from campaign_run`)
