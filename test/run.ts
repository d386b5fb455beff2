/** `npm test [-- FILE…]`: one PostgreSQL for all, a migrated template that test files clone, then node's own test runner. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ADMIN_URL, runOn, TEMPLATE, withDatabaseName } from './support/database.ts'
import { prepareDatabase, startPostgres } from './support/postgres.ts'
import { PROGRAM, programFile } from './support/program.ts'

const given = process.argv.slice(2)
const flags = given.filter((argument) => argument.startsWith('-'))
const named = given.filter((argument) => !argument.startsWith('-'))
const files = named.length > 0 ? globSync(named) : mixed(globSync('test/**/*.test.ts'))

if (files.length === 0) throw new Error(`No test file matches ${named.join(' ')}`)

/** Longest that one file may take, in milliseconds: a hung test must not hang everything. */
const FILE_MS = 5 * 60_000

/** Half as many again as there are processors: some wait while others compute. */
const filesAtOnce = Math.ceil(availableParallelism() * 1.5)

const postgres = await startPostgres({ durable: false })
try {
  process.exitCode = await runTests(await makeTemplate())
} finally {
  await postgres.stop()
}

async function makeTemplate(): Promise<string> {
  const admin = withDatabaseName(postgres.connectionString, 'postgres')
  await runOn(admin, `create database ${TEMPLATE}`)
  await prepareDatabase(withDatabaseName(admin, TEMPLATE))
  return admin
}

/** Files of one folder are of a kind: mixed, those that compute run beside those that wait. The same order each time. */
function mixed(names: string[]): string[] {
  const place = (name: string): string => createHash('sha1').update(name).digest('hex')
  return names.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** Ctrl-C reaches node's runner by itself, and it ends with us waiting; a signal to us alone is passed on. */
async function runTests(admin: string): Promise<number> {
  const runner = [
    '--test',
    `--test-concurrency=${filesAtOnce}`,
    '--test-reporter=spec',
    `--test-timeout=${FILE_MS}`,
    ...flags,
    ...files,
  ]
  const child = spawn(process.execPath, runner, {
    stdio: 'inherit',
    env: { ...process.env, [ADMIN_URL]: admin, [PROGRAM]: programFile },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  process.on('disconnect', () => child.kill('SIGTERM'))
  process.channel?.unref()
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1))))
}
