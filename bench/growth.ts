/**
 * Whether an installation grows slower with its messages: every list, search, claim and admission
 * with 100,000 messages and with `--size`, in one run, and the ratio of both. Each size has a
 * database and a process of its own on one durable PostgreSQL; they are asked in turns. Blocks are
 * those that PostgreSQL read for a call: other work on the machine does not change them.
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { serviceFlags } from '../bin/flags.mjs'
import { connect, type Connection } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { migrate } from '../src/database/schema/migrate.ts'
import { maintainPartitions } from '../src/db/retention/maintain-partitions.ts'
import { setRatePerMinute } from '../src/db/workspaces/workspaces.ts'
import { withDatabaseName } from '../test/support/database.ts'
import { freePort } from '../test/support/free-port.ts'
import { programFile } from '../test/support/program.ts'
import { startProgram, type Measurable } from './accept/processes.ts'
import { readCalls, type Call } from './growth/calls.ts'
import { workOfWorkers, type Prepare } from './growth/claims.ts'
import { fill, fillDays, type Filled } from './growth/fill.ts'
import { makePartitions } from './growth/make-partitions.ts'
import { startCountingPostgres } from './held/counting-postgres.ts'
import { index } from './scale/fill.ts'
import { quantile, round } from './pages/figures.ts'
import { signInOwner } from './pages/sign-in-viewer.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    size: { type: 'string', default: '1000000' },
    from: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '35' },
    only: { type: 'string', default: '' },
  },
})
const sizes = [Number(values.from), Number(values.size)]
const rounds = Number(values.rounds)
/** The promised ratio of the time of a call at the two sizes. */
const limit = 1.5
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

interface Installation {
  size: number
  db: Connection
  port: number
  key: string
  cookie: string
  program: Measurable
  filled: Filled
  workers: Record<string, Prepare>
}

const postgres = await startCountingPostgres()
const installations: Installation[] = []

async function open(size: number): Promise<Installation> {
  const name = `growth_${size}`
  const url = withDatabaseName(postgres.connectionString, name)
  await asAdmin(`create database ${name}`)
  await migrate(url)
  const db = connect({ connectionString: url, poolSize: 2, statementTimeoutMs: 600_000 })
  const port = await freePort()
  let key = ''
  const env = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(port),
  }
  const start = () =>
    startProgram([...serviceFlags, programFile, 'start', '--role', 'api'], env, (line) => {
      key ||= /fct_live_\S+/.exec(line)?.[0] ?? ''
      return line.includes('"msg":"ready"')
    })
  // The first start makes workspace 1, which is filled while no process plans statements on empty
  // tables.
  await (await start()).stop()
  await setRatePerMinute(db, 1, 100_000_000)
  await db.count({ name: '', text: 'create extension pg_stat_statements', values: [] })
  await makePartitions(db, { sinceMs: Date.now() - (fillDays + 1) * 86_400_000 })
  await maintainPartitions({ db, log: { error: (context) => say(JSON.stringify(context)) } })
  const client = new pg.Client({ connectionString: url })
  // The reason of a failure comes with the statement, not with the end of the server that follows
  // it.
  client.on('error', () => undefined)
  await client.connect()
  say(`${size} messages`)
  const filled = await fill(client, size, say)
  await client.end()
  await index(db)
  // The index leaves as many dead rows as there are subscribers; autovacuum would remove them
  // within a minute.
  await db.count({ name: '', text: 'vacuum subscriber_search_pending', values: [] })
  const program = await start()
  return {
    size,
    db,
    port,
    key,
    cookie: '',
    program,
    filled,
    workers: await workOfWorkers(db, filled.webhookId),
  }
}

async function asAdmin(text: string): Promise<void> {
  const admin = new pg.Client({
    connectionString: withDatabaseName(postgres.connectionString, 'postgres'),
  })
  await admin.connect()
  await admin.query(text)
  await admin.end()
}

async function ask(
  { port, key, cookie }: Installation,
  call: Call,
  cursor = '',
): Promise<Response> {
  const address = `http://127.0.0.1:${port}${call.prefix}/api/v1${call.path}${cursor && `${call.path.includes('?') ? '&' : '?'}cursor=${cursor}`}`
  return fetch(address, { headers: call.prefix ? { cookie } : { authorization: `Bearer ${key}` } })
}

/** Calls that failed, with the status of their answer: such as one that took too long. */
const refused: string[] = []

/** Answers what is measured. Null if the list has no next page, or the call is refused. */
async function prepareCall(
  installation: Installation,
  call: Call,
  isNext: boolean,
): Promise<Prepare | null> {
  let first = await ask(installation, call)
  let body = (await first.json()) as { next_cursor?: string | null; days?: unknown }
  // The first look of all counts every mail of thirty days, most of them behind the answer.
  while (first.ok && JSON.stringify(body.days ?? '').includes('"counts":null')) {
    await setTimeout(100)
    first = await ask(installation, call)
    body = (await first.json()) as typeof body
  }
  if (!first.ok) {
    refused.push(`${call.name} (${first.status})`)
    return null
  }
  const cursor = isNext ? body.next_cursor : ''
  if (cursor === null || cursor === undefined) return null
  return () =>
    Promise.resolve(async () => {
      const answer = await ask(installation, call, cursor)
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`${call.name} was answered ${answer.status}`)
    })
}

async function post(installation: Installation): Promise<void> {
  const body = JSON.stringify({
    from: 'hello@demo.test',
    to: `${Math.random()}@example.com`,
    subject: 'Hello',
    text: 'Hello',
  })
  const headers = {
    authorization: `Bearer ${installation.key}`,
    'content-type': 'application/json',
  }
  const answer = await fetch(`http://127.0.0.1:${installation.port}/api/v1/emails`, {
    method: 'POST',
    headers,
    body,
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`POST /emails was answered ${answer.status}`)
}

interface Figure {
  name: string
  ms: number[]
  blocks: number[]
  ratio: number
}

const figures: Figure[] = []

/** In turns, so that other work on the machine meets both alike. */
async function measure(name: string, prepares: Prepare[]): Promise<void> {
  const times = sizes.map(() => [] as number[])
  const blocks = sizes.map(() => Infinity)
  for (let turn = -5; turn < rounds; turn++) {
    for (const [position, prepare] of prepares.entries()) {
      const { db } = installations[position] as Installation
      const work = await prepare()
      const isCounted = turn === -2 || turn === -1
      const before = isCounted ? await blocksRead(db) : 0
      const began = performance.now()
      await work()
      const took = performance.now() - began
      if (isCounted)
        blocks[position] = Math.min(blocks[position] ?? Infinity, (await blocksRead(db)) - before)
      else if (turn >= 0) times[position]?.push(took)
    }
  }
  const ms = times.map((list) => round(quantile(list, 0.5)))
  const ratio = round((ms[1] ?? NaN) / (ms[0] ?? NaN))
  figures.push({ name, ms, blocks, ratio })
  say(
    `${name.padEnd(52)} ${ms.map((each) => `${each.toFixed(2)} ms`.padStart(11)).join('')}  ${blocks.map((each) => String(each).padStart(7)).join('')} blocks   ratio ${ratio}${ratio > limit ? '   OVER' : ''}`,
  )
}

const blocksRead = (db: Connection): Promise<number> =>
  db.onlyValue<number>(sql`
    select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat_statements%'`)

try {
  for (const size of sizes) installations.push(await open(size))
  const [small] = installations
  if (!small) throw new Error('There is no size')
  const expected = (name: string): boolean => name.includes(values.only)
  if (expected('POST /emails'))
    await measure(
      'POST /emails',
      installations.map((installation) => () => Promise.resolve(() => post(installation))),
    )
  for (const name of Object.keys(small.workers).filter(expected))
    await measure(
      name,
      installations.map(({ workers }) => workers[name] as Prepare),
    )
  for (const { name, isList } of readCalls(small.filled)) {
    for (const isNext of isList ? [false, true] : [false]) {
      if (!expected(name)) continue
      for (const installation of installations)
        installation.cookie = await signInOwner(
          installation.db,
          `http://127.0.0.1:${installation.port}`,
        )
      const prepares = await Promise.all(
        installations.map((installation) => {
          const call = readCalls(installation.filled).find((other) => other.name === name)
          return call ? prepareCall(installation, call, isNext) : Promise.resolve(null)
        }),
      )
      const ready = prepares.filter((prepare) => prepare !== null)
      if (ready.length === sizes.length)
        await measure(`${name}${isNext ? ', next page' : ''}`, ready).catch((error: unknown) =>
          refused.push(String(error)),
        )
    }
  }
  if (refused.length > 0) say(`Not measured: ${refused.join(', ')}`)
  const over = figures.filter(({ ratio }) => ratio > limit)
  say(`${figures.length} calls, ${over.length} of them over ${limit}`)
  for (const { name, ms, ratio } of over.toSorted((a, b) => b.ratio - a.ratio))
    say(`  ${ratio}  ${name}: ${ms.join(' and ')} ms`)
} finally {
  for (const { program, db } of installations) {
    await program.stop()
    await db.end()
  }
  await postgres.stop()
}
if (values.json)
  console.log(
    JSON.stringify({
      bench: 'growth',
      limit,
      ratio: Object.fromEntries(figures.map(({ name, ratio }) => [name, ratio])),
      figures,
    }),
  )
