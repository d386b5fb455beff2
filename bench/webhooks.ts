/**
 * How fast webhooks are delivered: pending events are claimed, signed, posted to a receiver of this
 * machine and recorded, every rule on, on one durable PostgreSQL. The yardstick is bare `undici`
 * posts of the same bytes to the same receiver; runs alternate, and the figures are medians. A last
 * figure is the time from a call to the receipt of its event, on an idle service.
 */
import { setTimeout } from 'node:timers/promises'
import type { Scope } from '../src/contract/scopes.ts'
import { connect } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { cpuOf, cpuOfPostgres, memoryOf, startProgram } from './accept/processes.ts'
import { median } from './accept/median.ts'

const json = process.argv.includes('--json')
const rounds = 5
const events = 10_000
const idleCalls = 200
const say = (line: string): void => (json ? console.error(line) : console.log(line))

const postgres = await startPostgres({ durable: true })
const [facteurPort, receiverPort] = [await freePort(), await freePort()]
const pathOf = (file: string): string => new URL(file, import.meta.url).pathname
const receiver = await startProgram(
  [pathOf('webhooks/receiver.ts'), String(receiverPort)],
  {},
  (line) => line === 'ready',
)
const facteur = await startProgram(
  [programFile, 'start'],
  {
    DATABASE_URL: postgres.connectionString,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(facteurPort),
  },
  (line) => line.includes('"msg":"ready"'),
)
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 2,
  statementTimeoutMs: 120_000,
})
const key = await makeKey()

async function makeKey(): Promise<string> {
  const { makeApiKey } = await import('../src/core/workspaces/make-api-key.ts')
  const { makeIds } = await import('../src/ground/ids.ts')
  await db.count(sql`update workspace set rate_per_minute = 1000000`)
  const ctx = { db, makeId: makeIds(() => Date.now()) }
  const scopes: Scope[] = ['webhooks:write', 'subscribers:write']
  return (await makeApiKey(ctx, { workspaceId: 1, name: 'bench', scopes, expiresAt: null })).key
}

async function call(method: string, path: string, body: object): Promise<{ id: string }> {
  const answer = await fetch(`http://127.0.0.1:${facteurPort}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok)
    throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: string }
}

const ask = async <T>(path: string): Promise<T> =>
  (await (await fetch(`http://127.0.0.1:${receiverPort}${path}`)).json()) as T
const webhook = { url: `http://127.0.0.1:${receiverPort}/hook`, events: ['subscriber.created'] }

interface Run {
  perSecond: number
  cpuUs: number
  postgresCpuUs: number
}

/** Rate of what the receiver counted, from its first to its last. */
async function countAtReceiver(count: number, begin: () => Promise<void>): Promise<number> {
  await ask('/reset')
  const counted = ask<{ firstMs: number; lastMs: number }>(`/wait?${count}`)
  await begin()
  const { firstMs, lastMs } = await counted
  return Math.round(((count - 1) * 1000) / (lastMs - firstMs))
}

/** The body of a real event of the API. */
let body = ''

async function bare(): Promise<number> {
  return countAtReceiver(events, async () => {
    const poster = await startProgram(
      [pathOf('webhooks/bare-posts.ts'), String(receiverPort), String(events), body],
      {},
      (line) => line === 'done',
    )
    await poster.stop()
  })
}

/** Events that were pending while the webhook was disabled go out as it is enabled. */
async function deliver(): Promise<Run> {
  const { id } = await call('POST', '/webhooks', { ...webhook, enabled: false })
  await db.count(sql`
    with made as (
      insert into event (workspace_id, id, place, type, body, created_at)
      select 1, facteur_event_id(at, n), nextval('event_order'), 'subscriber.created', ${body}, at
      from (select facteur_now() as at) moment, generate_series(1, ${events}::int) n returning id, type, created_at)
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, next_at, created_at)
    select 1, ${id}, id, type, created_at, created_at from made`)
  const [cpuBefore, postgresBefore] = [cpuOf(facteur.pid), cpuOfPostgres(postgres.pid())]
  const perSecond = await countAtReceiver(
    events,
    async () => void (await call('PATCH', `/webhooks/${id}`, { enabled: true })),
  )
  const per = (used: number): number => Math.round(used / events)
  const run = {
    perSecond,
    cpuUs: per(cpuOf(facteur.pid) - cpuBefore),
    postgresCpuUs: per(cpuOfPostgres(postgres.pid()) - postgresBefore),
  }
  await untilRecorded(id)
  await call('DELETE', `/webhooks/${id}`, {})
  return run
}

/** Every event is in the journal as delivered at the first attempt. */
async function untilRecorded(id: string): Promise<void> {
  for (let waits = 0; waits < 500; waits++) {
    const [row] = await db.rows<{ delivered: number }>(sql`
      select count(*) as delivered from webhook_delivery where workspace_id = 1 and webhook_id = ${id} and status = 'delivered' and attempts = 1`)
    if (row?.delivered === events) return
    await setTimeout(20)
  }
  throw new Error('What was received was not recorded')
}

let measured = 0

/** Milliseconds from before a call that adds a subscriber until its event is received. */
async function measureIdle(): Promise<number[]> {
  const { id } = await call('POST', '/webhooks', webhook)
  await ask('/reset')
  const requested = new Map<string, number>()
  const name = `idle-${measured++}-`
  for (let n = 0; n < idleCalls; n++) {
    const email = `${name}${n}@example.com`
    requested.set(email, performance.timeOrigin + performance.now())
    await call('POST', '/subscribers', { email, double_opt_in: false })
    await setTimeout(40 + (n % 7) * 5)
  }
  await ask(`/wait?${idleCalls}`)
  const received = new Map(await ask<[string, number][]>('/times'))
  const delivered = await db.rows<{ id: string; email: string; body: string }>(sql`
    select 'evt_' || replace(id::text, '-', '') as id, body::json -> 'data' ->> 'email' as email, body from event
    where workspace_id = 1 and body::json -> 'data' ->> 'email' like ${name + '%'}`)
  body = delivered[0]?.body ?? ''
  await call('DELETE', `/webhooks/${id}`, {})
  return delivered.map(
    (event) => (received.get(event.id) ?? NaN) - (requested.get(event.email) ?? NaN),
  )
}

const share = (values: number[], part: number): number =>
  Math.round(
    values.toSorted((a, b) => a - b)[
      Math.min(values.length - 1, Math.floor(values.length * part))
    ] ?? 0,
  )

// The first calls of a process compile what they run.
await measureIdle()
const idle = await measureIdle()
await deliver()
await bare()
const ours: Run[] = []
const theirs: number[] = []
for (let round = 0; round < rounds; round++) {
  theirs.push(await bare())
  ours.push(await deliver())
}
const ratio =
  Math.round(median(ours.map(({ perSecond }, round) => perSecond / (theirs[round] ?? NaN))) * 100) /
  100
const figures = {
  deliveries: {
    per_second: median(ours.map((run) => run.perSecond)),
    cpu_us: median(ours.map((run) => run.cpuUs)),
    postgres_cpu_us: median(ours.map((run) => run.postgresCpuUs)),
  },
  bare_posts: { per_second: median(theirs) },
  idle_ms: { p50: share(idle, 0.5), p99: share(idle, 0.99), max: share(idle, 1) },
  body_octets: Buffer.byteLength(body),
  memory_mib: memoryOf(facteur.pid),
}
const { deliveries, idle_ms: idleMs } = figures
say(
  `delivered ${deliveries.per_second}/s, CPU ${deliveries.cpu_us} + PostgreSQL ${deliveries.postgres_cpu_us} µs each; bare posts ${median(theirs)}/s`,
)
say(`ratio: ${ratio}`)
say(
  `from the call to its receipt, idle: p50 ${idleMs.p50} ms, p99 ${idleMs.p99} ms, of ${idleCalls}`,
)
await Promise.all([facteur.stop(), receiver.stop(), db.end()])
await postgres.stop()
if (json) console.log(JSON.stringify({ bench: 'webhooks', ratio, figures }))
