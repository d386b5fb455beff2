/**
 * How fast the log of a million messages is looked through: 500,000 single messages and 500,000
 * mails of campaigns, one of them of 300,000. The calls go over HTTP as the pages ask, cookie and
 * all. And how fast the worker indexes. Each kind of call in turns, its pages one after the other:
 * what matches almost everything, almost nothing, and what lies far back.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { serviceFlags } from '../bin/flags.mjs'
import { systemClock } from '../src/ground/clock.ts'
import { indexMessages } from '../src/core/message-index/index-messages.ts'
import {
  indexSubscribers,
  indexedAtOnce,
} from '../src/core/audience/subscribers/index-subscribers.ts'
import { connect, type Connection } from '../src/database/client/connect.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { cpuOf, cpuOfPostgres, startProgram } from './accept/processes.ts'
import { pageLimitMs, quantile, round, verdict } from './pages/figures.ts'
import { signInViewer } from './pages/sign-in-viewer.ts'
import { fillLog } from './log/fill.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    size: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '40' },
  },
})
const size = Number(values.size)
const rounds = Number(values.rounds)
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

interface Page {
  data: { id: string }[]
  has_more: boolean
  next_cursor: string
}

/**
 * Each search: its name, its query, and how many of its pages are requested one after the other.
 */
const searches: [string, Record<string, string>, number][] = [
  ['everything', {}, 3],
  ['single messages', { kind: 'single' }, 1],
  ['campaign mails', { kind: 'campaign' }, 1],
  ['one recipient', { recipient: 'leroy4242@' }, 1],
  ['a domain of a quarter', { recipient: 'example.com' }, 2],
  ['no recipient', { recipient: 'nobody@nowhere' }, 1],
  ['a recipient of long ago', { recipient: 'early7@' }, 1],
  ['a word of all', { subject: 'order' }, 2],
  ['a number in one subject', { subject: '0123457' }, 1],
  ['a word of none', { subject: 'xylophone' }, 1],
  ['a word of the oldest half', { subject: 'ancient' }, 3],
  ['a tag of a fifth', { tag: 'kind:receipt' }, 2],
  ['a tag of few', { tag: 'trial' }, 1],
  ['a tag of none', { tag: 'nothing' }, 1],
  ['delivered', { status: 'delivered' }, 2],
  ['bounced, one in 200', { status: 'bounced' }, 2],
  ['complained, a few', { status: 'complained' }, 1],
  ['queued, none but a few', { status: 'queued' }, 1],
  ['sent, one in 50,000', { status: 'sent' }, 1],
  ['a day of long ago', { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }, 1],
  ['bounced of a domain', { status: 'bounced', recipient: 'laposte' }, 1],
  ['bounced where none did', { status: 'bounced', recipient: 'example.com' }, 2],
  ['a recipient and a word', { recipient: 'camille', subject: 'order' }, 1],
]

const postgres = await startPostgres({ durable: true })
const port = await freePort()
const env = {
  DATABASE_URL: postgres.connectionString,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FACTEUR_PORT: String(port),
}
const program = await startProgram(
  [...serviceFlags, programFile, 'start', '--role', 'api'],
  env,
  (line) => line.includes('"msg":"ready"'),
)
const client = new pg.Client({ connectionString: postgres.connectionString })
await client.connect()
const db = connect({
  connectionString: postgres.connectionString,
  poolSize: 3,
  statementTimeoutMs: 600_000,
})

async function index(connection: Connection): Promise<number> {
  while ((await indexSubscribers({ db: connection }, 1)) === indexedAtOnce);
  const began = performance.now()
  while (!(await indexMessages({ db: connection, clock: systemClock }, { workspaceId: 1 })));
  return (performance.now() - began) / 1000
}

/**
 * `cpu`: processor time of a page, ours and PostgreSQL's together, in milliseconds: other work of
 * the machine does not stretch it.
 */
const figures: Record<
  string,
  { p50: number; p99: number; max: number; cpu: number; found: number }
> = {}

async function measure(): Promise<void> {
  const times = new Map<string, number[]>(searches.map(([name]) => [name, []]))
  const byKey = new Map<string, number>()
  const spent = new Map<string, number>()
  const cpuNow = (): number => cpuOf(program.pid) + cpuOfPostgres(postgres.pid())
  for (let turn = -2; turn < rounds; turn++) {
    const cookie = await signInViewer(db, `http://127.0.0.1:${port}`)
    for (const [name, query, pages] of searches) {
      let cursor = ''
      let lines = 0
      const cpuBefore = cpuNow()
      for (let page = 0; page < pages; page++) {
        const address = `http://127.0.0.1:${port}/workspaces/demo/api/v1/messages?${new URLSearchParams({ ...query, ...(cursor && { cursor }) }).toString()}`
        const began = performance.now()
        const answer = await fetch(address, { headers: { cookie } })
        const body = (await answer.json()) as Page
        const took = performance.now() - began
        if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(body)}`)
        if (turn >= 0) times.get(name)?.push(took)
        lines += body.data.length
        cursor = body.next_cursor
        if (!body.has_more) break
      }
      byKey.set(name, lines)
      if (turn >= 0) spent.set(name, (spent.get(name) ?? 0) + cpuNow() - cpuBefore)
    }
  }
  for (const [name, list] of times) {
    figures[name] = {
      p50: round(quantile(list, 0.5), 1),
      p99: round(quantile(list, 0.99), 1),
      max: round(Math.max(...list), 1),
      cpu: round((spent.get(name) ?? 0) / list.length / 1000, 1),
      found: byKey.get(name) ?? 0,
    }
    const { p50, p99, max, cpu } = figures[name]
    say(
      `${name.padEnd(28)} p50 ${String(p50).padStart(7)} ms   p99 ${String(p99).padStart(7)} ms   max ${String(max).padStart(7)} ms   cpu ${String(cpu).padStart(6)} ms   ${byKey.get(name)} found`,
    )
  }
}

try {
  await setRatePerMinute(db, 1, 100_000_000)
  const { singles, mails } = await fillLog(client, size)
  const seconds = await index(db)
  say(
    `${singles} single messages and ${mails} campaign mails; singles indexed in ${seconds.toFixed(1)} s (${Math.round(singles / seconds)}/s)`,
  )
  await client.query('vacuum analyze')
  await measure()
  const worst = Math.max(...Object.values(figures).map(({ p99 }) => p99))
  say(`worst p99: ${worst} ms, ${verdict(worst)}`)
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'log',
        worst,
        figures: {
          pageLimitMs,
          ms: figures,
          size,
          rounds,
          perSecond: Math.round(singles / seconds),
        },
      }),
    )
} finally {
  await client.end()
  await db.end()
  await program.stop()
  await postgres.stop()
}
