/**
 * How fast subscribers are imported: lines of a CSV file that `facteur subscriber import` stores a
 * second, every rule on. The yardstick is bare upserts of 1,000 rows a statement into an equal
 * table, from memory, on the same durable PostgreSQL. Runs alternate. And how much memory the
 * import has at most for 10,000, 300,000 and 1,000,000 lines.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { commandFlags } from '../bin/flags.mjs'
import { migrate } from '../src/database/schema/migrate.ts'
import { makeIds } from '../src/ground/ids.ts'
import { withDatabaseName } from '../test/support/database.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { programFile } from '../test/support/program.ts'
import { cpuOf, cpuOfPostgres } from './accept/processes.ts'
import {
  addressOf,
  isKnown,
  isSuppressed,
  contact,
  writeContacts,
  type Contact,
} from './import/contacts.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    lines: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    max: { type: 'string', default: '1000000' },
  },
})
const lines = Number(values.lines)
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

const folder = mkdtempSync(join(tmpdir(), 'facteur-bench-'))
const postgres = await startPostgres({ durable: true })
await migrate(postgres.connectionString)
await onServer(async (client) => {
  await client.query("insert into plan (name) values ('default') on conflict do nothing")
  await client.query(
    "insert into workspace (slug, name, plan, created_at) values ('bench', 'Bench', 'default', facteur_now())",
  )
  await client.query('create table bare (like subscriber including all)')
  await client.query('alter table bare add foreign key (workspace_id) references workspace (id)')
})

let runs = 0

interface Run {
  perSecond: number
  stored: number
  seconds: number
  memoryMib: number
  cpuUs: number
  postgresCpuUs: number
}

/**
 * A database of its own for each run, as a new installation leaves it, with what the file meets.
 */
async function prepare(count: number): Promise<string> {
  const url = withDatabaseName(postgres.connectionString, `run_${++runs}`)
  await onServer(
    (client) => client.query(`create database run_${runs} template facteur`),
    withDatabaseName(postgres.connectionString, 'postgres'),
  )
  const numbers = Array.from({ length: count }, (_, number) => number)
  await onServer(async (client) => {
    await client.query(
      `insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
       select 1, gen_random_uuid(), e, 'subscribed', facteur_now(), facteur_now() from unnest($1::text[]) e`,
      [numbers.filter(isKnown).map(addressOf)],
    )
    await client.query('insert into bare select * from subscriber')
    await client.query(
      `insert into suppression (workspace_id, email, id, reason, created_at)
       select 1, e, gen_random_uuid(), 'bounce', facteur_now() from unnest($1::text[]) e`,
      [numbers.filter(isSuppressed).map(addressOf)],
    )
    await client.query('checkpoint')
  }, url)
  return url
}

/** The real program, as an operator runs it; its memory is looked at all the time. */
async function runImport(url: string, file: string): Promise<Run> {
  const postgresBefore = cpuOfPostgres(postgres.pid())
  const began = performance.now()
  const line = [
    'subscriber',
    'import',
    '--workspace',
    'bench',
    '--consent',
    'They asked for it at the fair',
    '--map',
    'Ville=fields.city',
  ]
  const child = spawn(
    process.execPath,
    [...commandFlags, programFile, ...line, '--tags', 'fair', '--json', file],
    {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  let [memoryMib, cpuUs] = [0, 0]
  const polling = setInterval(() => {
    memoryMib = peakMemoryOf(child.pid ?? 0) ?? memoryMib
    cpuUs = Math.max(cpuUs, cpuOf(child.pid ?? 0))
  }, 50)
  const [code] = await once(child, 'close')
  clearInterval(polling)
  const seconds = (performance.now() - began) / 1000
  if (code !== 0) throw new Error(`The import ended with ${code}: ${output}`)
  const { new: added, updated } = JSON.parse(output) as { new: number; updated: number }
  const stored = added + updated
  const postgresCpuUs = (cpuOfPostgres(postgres.pid()) - postgresBefore) / stored
  return {
    perSecond: stored / seconds,
    stored,
    seconds,
    memoryMib,
    cpuUs: cpuUs / stored,
    postgresCpuUs,
  }
}

async function onServer<T>(
  work: (client: pg.Client) => Promise<T>,
  url = postgres.connectionString,
): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The most that was resident, in MiB (proc(5): VmHWM); null when the process has gone. */
function peakMemoryOf(pid: number): number | null {
  try {
    return (
      Math.round(
        Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
      ) || null
    )
  } catch {
    return null
  }
}

const makeId = makeIds(() => Date.now())
const columns = 11

/**
 * The same subscribers as prepared rows, without any rule: wrong lines of the file are left out
 * here.
 */
async function runBare(client: pg.Client, contacts: Contact[]): Promise<number> {
  const began = performance.now()
  for (let at = 0; at < contacts.length; at += 1000) {
    const some = contacts.slice(at, at + 1000)
    const rows = some.map(
      (_, row) =>
        `(${Array.from({ length: columns }, (_unused, column) => `$${row * columns + column + 1}`).join(',')})`,
    )
    const now = new Date()
    await client.query({
      ...(some.length === 1000 && { name: 'bare' }),
      text: `insert into bare (workspace_id, id, email, status, first_name, last_name, tags, fields, source, created_at, updated_at)
        values ${rows.join(',')}
        on conflict (workspace_id, email) do update set first_name = excluded.first_name, last_name = excluded.last_name,
          tags = excluded.tags, fields = excluded.fields, updated_at = excluded.updated_at`,
      values: some.flatMap(({ email, firstName, lastName, city }) => [
        ...[
          1,
          makeId(),
          email,
          'subscribed',
          firstName,
          lastName,
          ['fair'],
          { city },
          'import',
          now,
          now,
        ],
      ]),
    })
  }
  return contacts.length / ((performance.now() - began) / 1000)
}

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
const round = (number: number, digits = 0): number => Number(number.toFixed(digits))

const file = join(folder, 'people.csv')
await writeContacts(file, lines)
const ready = Array.from({ length: lines }, (_, number) => number)
  .filter((number) => number % 100 < 98 && !isSuppressed(number))
  .map(contact)
const pairs: { bare: number; ours: Run }[] = []
for (let turn = 0; turn < Number(values.rounds); turn++) {
  const url = await prepare(lines)
  const bare = await onServer((client) => runBare(client, ready), url)
  await onServer((client) => client.query('checkpoint'))
  const ours = await runImport(url, file)
  if (ours.stored !== ready.length)
    throw new Error(`${ours.stored} were stored, not ${ready.length}`)
  pairs.push({ bare, ours })
  say(
    `import ${round(ours.perSecond)}/s, bare upserts ${round(bare)}/s, ratio ${round(ours.perSecond / bare, 2)}`,
  )
}
const ratio = round(median(pairs.map(({ bare, ours }) => ours.perSecond / bare)), 2)
const memory: Record<string, number> = {}
for (const count of [10_000, 300_000, Number(values.max)]) {
  const big = join(folder, 'big.csv')
  await writeContacts(big, count)
  const run = await runImport(await prepare(count), big)
  memory[count] = run.memoryMib
  say(
    `${count} lines: ${round(run.seconds, 1)} s, ${round(run.perSecond)}/s, ${run.memoryMib} MiB at most`,
  )
}
await postgres.stop()
rmSync(folder, { recursive: true })
const figures = {
  lines,
  import_per_second: round(median(pairs.map(({ ours }) => ours.perSecond))),
  bare_per_second: round(median(pairs.map(({ bare }) => bare))),
  cpu_us: round(median(pairs.map(({ ours }) => ours.cpuUs)), 1),
  postgres_cpu_us: round(median(pairs.map(({ ours }) => ours.postgresCpuUs)), 1),
  memory_mib: memory,
}
say(
  `ratio ${ratio}; CPU ${figures.cpu_us} + PostgreSQL ${figures.postgres_cpu_us} µs a stored line`,
)
if (values.json) console.log(JSON.stringify({ bench: 'import', ratio, figures }))
