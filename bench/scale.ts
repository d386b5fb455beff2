/**
 * Whether anything grows slower with the audience: the same calls over HTTP with 10,000, 100,000
 * and 1,000,000 subscribers. Each audience has its own database and process; they are asked in
 * turns. Freezing a campaign's list is divided by the bare INSERT … SELECT of the same rows into an
 * equal table, in alternating runs. All on one durable PostgreSQL.
 */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { serviceFlags } from '../bin/flags.mjs'
import { writeCursor } from '../src/core/input/cursor.ts'
import { connect } from '../src/database/client/connect.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { withDatabaseName } from '../test/support/database.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { startProgram, type Measurable } from './accept/processes.ts'
import { pageLimitMs, quantile, round, verdict } from './pages/figures.ts'
import { signInViewer } from './pages/sign-in-viewer.ts'
import { deliver } from './scale/deliver.ts'
import { fill, index } from './scale/fill.ts'
import { pagesOf, walked } from './scale/pages.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    rounds: { type: 'string', default: '7' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const rounds = Number(values.rounds)
/** Calls in a row of one kind to one audience. */
const callsAtOnce = 15
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

interface Audience {
  size: number
  url: string
  port: number
  key: string
  client: pg.Client
  program: Measurable
  /** Of a signed-in user. */
  cookie: string
  campaignId: string
}

const postgres = await startPostgres({ durable: true })
await migrate(postgres.connectionString)
const audiences: Audience[] = []
const ratio: Record<string, number> = {}
const figures: Record<string, Record<string, number>> = {}
/** Of the requests that pages make, at the largest size. */
const p99OfPages: Record<string, number> = {}
async function measure(): Promise<void> {
  for (const size of sizes) audiences.push(await open(size))
  const freezing: Record<string, number> = {}
  for (const audience of audiences) {
    freezing[audience.size] = await freeze(audience)
    say(`${audience.size}: the campaign comes to its end, with opens and clicks`)
    const db = connect({ connectionString: audience.url, poolSize: 2, statementTimeoutMs: 600_000 })
    await deliver(audience.client, db, audience.campaignId)
    await db.end()
  }
  ratio['freeze'] = Math.max(...Object.values(freezing))
  figures['freeze by bare insert'] = freezing
  for (const [name, make] of Object.entries({ ...calls(), ...pages() }))
    await measureCall(name, make)
  const worst = Object.entries(p99OfPages).toSorted(([, a], [, b]) => b - a)[0]
  if (worst)
    say(`slowest page at ${sizes.at(-1)}: ${worst[0]}, p99 ${worst[1]} ms, ${verdict(worst[1])}`)
}

/** An installation with an audience of this size, at rest. */
async function open(size: number): Promise<Audience> {
  const url = withDatabaseName(postgres.connectionString, `audience_${size}`)
  const admin = new pg.Client({
    connectionString: withDatabaseName(postgres.connectionString, 'postgres'),
  })
  await admin.connect()
  await admin.query(`create database audience_${size} template facteur`)
  await admin.end()
  const port = await freePort()
  let key = ''
  const env = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
  }
  const program = await startProgram(
    [...serviceFlags, programFile, 'start', '--role', 'api'],
    env,
    (line) => {
      key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
      return line.includes('"msg":"ready"')
    },
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const db = connect({ connectionString: url, poolSize: 2, statementTimeoutMs: 600_000 })
  await setRatePerMinute(db, 1, 100_000_000)
  await fill(client, size)
  const began = performance.now()
  await index(db)
  const seconds = (performance.now() - began) / 1000
  say(
    `${size} subscribers are there, findable after ${seconds.toFixed(1)} s (${Math.round(size / seconds)}/s)`,
  )
  await db.end()
  return { size, url, port, key, client, program, cookie: '', campaignId: '' }
}

/** Another user for each kind of call: none exceeds the rate of a user. */
async function signIn(audience: Audience): Promise<void> {
  const db = connect({ connectionString: audience.url, poolSize: 1 })
  audience.cookie = await signInViewer(db, `http://127.0.0.1:${audience.port}`)
  await db.end()
}

async function askAsUser({ port, cookie }: Audience, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/workspaces/demo/api/v1${path}`, {
    headers: { cookie },
  })
  const read = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${read}`)
  return read
}

async function ask(audience: Audience, line: string, body?: unknown): Promise<unknown> {
  const [method = '', path = ''] = line.split(' ')
  const answer = await fetch(`http://127.0.0.1:${audience.port}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${audience.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const read: unknown = await answer.json()
  if (!answer.ok) throw new Error(`${line}: ${JSON.stringify(read)}`)
  return read
}

const median = (numbers: number[]): number => quantile(numbers, 0.5)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const draft = {
  name: 'News',
  subject: 'News',
  text: '# News\n\nHello {{firstName}}, read [the news](https://example.com/news).',
}

/** Each freeze is of a new campaign; what is frozen is taken away again, but for the last one's. */
async function freeze(audience: Audience): Promise<number> {
  const { client } = audience
  await client.query('create table bare (like campaign_recipient including all)')
  const ratios: number[] = []
  const times: { ours: number; bare: number }[] = []
  for (let turn = 0; turn < 3; turn++) {
    await client.query('truncate campaign_recipient, bare')
    await client.query('checkpoint')
    const { id } = (await ask(audience, 'POST /campaigns', draft)) as { id: string }
    const ours = await timed(() => ask(audience, `POST /campaigns/${id}/send`))
    await client.query('checkpoint')
    const bare = await timed(() =>
      client.query(`insert into bare (workspace_id, campaign_id, subscriber_id, email)
        select workspace_id, '${id}', id, email from subscriber where workspace_id = 1 and status = 'subscribed'`),
    )
    ratios.push(ours / bare)
    times.push({ ours, bare })
    audience.campaignId = id
  }
  say(
    `${audience.size}: frozen in ${round(median(times.map(({ ours }) => ours)), 0)} ms, bare INSERT … SELECT ${round(median(times.map(({ bare }) => bare)), 0)} ms, ratio ${round(median(ratios))}`,
  )
  return round(median(ratios))
}

/** The entry that nine of ten are newer than, as the cursor of a list. */
async function deepCursor(
  { client, size }: Audience,
  filter: (string | string[] | null)[],
): Promise<string> {
  const { rows } = await client.query<{ id: string; at: Date }>(
    'select id, created_at as at from subscriber where workspace_id = 1 order by id limit 1 offset $1',
    [Math.floor(size / 10)],
  )
  const [row] = rows
  if (!row) throw new Error('There is nobody')
  return writeCursor({ at: row.at.toISOString(), id: row.id }, [1, 'subscribers', ...filter])
}

/** Makes what is called again and again, such as with the cursor of a deep page. */
type MakeCall = (audience: Audience) => Promise<() => Promise<unknown>>

function calls(): Record<string, MakeCall> {
  let sent = 0
  const always =
    (line: string): MakeCall =>
    (audience) =>
      Promise.resolve(() => ask(audience, line))
  const filtered =
    (query: string): MakeCall =>
    (audience) =>
      Promise.resolve(() => askAsUser(audience, `/subscribers${query}`))
  return {
    'first page': always('GET /subscribers'),
    'deep page': async (audience) => {
      const cursor = await deepCursor(audience, [null, null])
      return () => ask(audience, `GET /subscribers?cursor=${cursor}`)
    },
    'first page of a status': always('GET /subscribers?status=pending'),
    'deep page of a status': async (audience) => {
      const cursor = await deepCursor(audience, ['subscribed', null])
      return () => ask(audience, `GET /subscribers?status=subscribed&cursor=${cursor}`)
    },
    'q of one person': always('GET /subscribers?q=thomas2313@'),
    'q of nobody': always('GET /subscribers?q=nobody@nowhere'),
    'q of a tenth': always('GET /subscribers?q=martin'),
    'q of a quarter': always('GET /subscribers?q=example.com'),
    'q of a quarter, deep': async (audience) => {
      const cursor = await deepCursor(audience, [null, ['%example.com%']])
      return () => ask(audience, `GET /subscribers?q=example.com&cursor=${cursor}`)
    },
    'pages: everybody': filtered(''),
    'pages: a tag of the oldest': filtered('?tag=old'),
    'pages: a rare tag': filtered('?tag=seldom'),
    'pages: a tag and a status': filtered('?tag=old&status=unsubscribed'),
    'pages: tag, field, status': filtered('?tag=even&field=town&value=lyon&status=subscribed'),
    'pages: a tag and a name': filtered('?tag=old&q=martin'),
    'pages: what nobody has': filtered('?tag=even&status=unsubscribed&q=nobody@nowhere'),
    'GET /me': always('GET /me'),
    statistics: (audience) =>
      Promise.resolve(() => ask(audience, `GET /campaigns/${audience.campaignId}/stats`)),
    'single send': (audience) =>
      Promise.resolve(() =>
        ask(audience, 'POST /emails', {
          from: 'hello@demo.test',
          to: `single${sent++}@example.com`,
          subject: 'Hello',
          text: 'Hello',
        }),
      ),
  }
}

/**
 * The requests of the pages of a campaign; of a list that has more entries, also its second page.
 */
function pages(): Record<string, MakeCall> {
  const created: Record<string, MakeCall> = {}
  for (const name of Object.keys(pagesOf(''))) {
    const pathOf = ({ campaignId }: Audience): string => pagesOf(campaignId)[name] ?? ''
    created[name] = (audience) => Promise.resolve(() => askAsUser(audience, pathOf(audience)))
    if (!walked.has(name)) continue
    created[`${name}, next page`] = async (audience) => {
      const path = pathOf(audience)
      const { next_cursor: cursor } = JSON.parse(await askAsUser(audience, path)) as {
        next_cursor: string
      }
      return () => askAsUser(audience, `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)
    }
  }
  return created
}

async function measureCall(name: string, make: MakeCall): Promise<void> {
  for (const audience of audiences) await signIn(audience)
  const ready = await Promise.all(
    audiences.map(async (audience) => ({ size: audience.size, call: await make(audience) })),
  )
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
  for (const { call } of ready) for (let warm = 0; warm < callsAtOnce; warm++) await call()
  for (let turn = 0; turn < rounds; turn++) {
    for (const { size, call } of ready) {
      for (let n = 0; n < callsAtOnce; n++) times.get(size)?.push(await timed(call))
    }
  }
  const medians = sizes.map((size) => median(times.get(size) ?? []))
  ratio[name] = round(Math.max(...medians) / (medians[0] ?? Number.NaN))
  figures[name] = Object.fromEntries(
    sizes.map((size, position) => [size, round(medians[position] ?? Number.NaN)]),
  )
  const p99 = round(quantile(times.get(sizes.at(-1) ?? 0) ?? [], 0.99))
  const isPage = name.startsWith('pages: ')
  if (isPage) p99OfPages[name] = p99
  say(
    `${name.padEnd(34)} p50 ${medians.map((ms) => `${ms.toFixed(2)} ms`.padStart(10)).join('')}   worst ratio ${ratio[name]}` +
      `   p99 at ${sizes.at(-1)} ${p99} ms${isPage ? `, ${verdict(p99)}` : ''}`,
  )
}

try {
  await measure()
} finally {
  for (const { client, program } of audiences) {
    await client.end()
    await program.stop()
  }
  await postgres.stop()
}
if (values.json)
  console.log(
    JSON.stringify({
      bench: 'scale',
      ratio,
      figures: { ms: figures, p99OfPages, pageLimitMs, rounds, calls: callsAtOnce },
    }),
  )
