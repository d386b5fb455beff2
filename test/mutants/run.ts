/**
 * `npm run mutants -- --folder DIR [--seed TEXT] [--count 150] [--at-once 2] [--commit HEAD]`
 * reports which mutants the tests of a commit notice. `--of DIR`: only the survivors of that
 * folder, at another commit. The same command goes on after a stop.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type * as databaseOfTests from '../support/database.ts'
import type * as postgresOfTests from '../support/postgres.ts'
import { useMemoryForTemporaryFiles } from '../support/temporary-folder.ts'
import { checkOut, endAll, openLane } from './lane.ts'
import { drawMutants, movedTo, type Mutant } from './mutants.ts'
import { playMutants, type Tier } from './play-mutants.ts'

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string' },
    seed: { type: 'string' },
    count: { type: 'string', default: '150' },
    'at-once': { type: 'string', default: '2' },
    commit: { type: 'string', default: 'HEAD' },
    of: { type: 'string' },
    files: { type: 'string', multiple: true, default: ['test/**/*.test.ts'] },
  },
})
if (options.folder === undefined) throw new Error('Name a folder: --folder DIR')
const folder = resolve(options.folder)
mkdirSync(folder, { recursive: true })

useMemoryForTemporaryFiles()
const { commit, mutants } = readMutants()
const [root, ...others] = Array.from({ length: Number(options['at-once']) }, (_, index) =>
  join(folder, `lane-${index + 1}`),
)
if (root === undefined) throw new Error('One lane at least: --at-once 1')
const lane = openLane(root, { commit, mutants })
const lanes = [lane, ...others.map((other) => openLane(other, { commit, mutants, pages: root }))]

/** From the commit that plays: its migrations make the database. */
const load = <T>(file: string): Promise<T> => import(join(root, 'test', file)) as Promise<T>
const { startPostgres, prepareDatabase } = await load<typeof postgresOfTests>('support/postgres.ts')
const database = await load<typeof databaseOfTests>('support/database.ts')
const hasTiers = existsSync(join(root, 'test/tiers.ts'))
const { tierOf } = hasTiers
  ? await load<{ tierOf: (file: string) => Tier }>('tiers.ts')
  : { tierOf: (): Tier => 'quick' }

const postgres = await startPostgres({ durable: false })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endAll)
const admin = database.withDatabaseName(postgres.connectionString, 'postgres')
try {
  await database.runOn(admin, `create database ${database.TEMPLATE}`)
  await prepareDatabase(database.withDatabaseName(admin, database.TEMPLATE))
  process.env[database.ADMIN_URL] = admin
  const files = globSync(options.files, { cwd: root }).toSorted()
  await playMutants({ folder, lanes, files, mutants, tierOf, cleanUp: dropLeftovers })
} finally {
  await postgres.stop()
}
process.exit()

/** Those of the folder, or new ones. */
function readMutants(): { commit: string; mutants: Mutant[] } {
  const file = join(folder, 'mutants.json')
  if (existsSync(file)) return readJson(file) as ReturnType<typeof readMutants>
  const source = join(folder, 'source')
  const newest = execFileSync('git', ['rev-parse', options.commit], { encoding: 'utf8' }).trim()
  if (!existsSync(source)) checkOut(source, newest)
  const drawn =
    options.of === undefined
      ? drawMutants(source, { seed: options.seed ?? newest, count: Number(options.count) })
      : movedTo(source, readJson(join(options.of, 'survivors.json')) as Mutant[])
  const answer = { commit: newest, mutants: drawn }
  writeFileSync(file, JSON.stringify(answer, null, 1))
  return answer
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Databases of processes that were killed. */
async function dropLeftovers(): Promise<void> {
  const { rows } = await database.runOn(
    admin,
    `select datname as name from pg_database where starts_with(datname, 'test_')`,
  )
  for (const { name } of rows as { name: string }[])
    if (!existsSync(`/proc/${name.split('_')[1]}`))
      await database.runOn(admin, `drop database if exists ${name} with (force)`)
}
