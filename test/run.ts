/** `npm test [-- FILE…]`: one PostgreSQL for all, a migrated template that test files clone, then node's own test runner. */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { batchesOf } from './support/batches.ts'
import { ADMIN_URL, runOn, TEMPLATE, withDatabaseName } from './support/database.ts'
import { prepareDatabase, startPostgres } from './support/postgres.ts'
import { PROGRAM, programFile } from './support/program.ts'
import { useMemoryForTemporaryFiles } from './support/temporary-folder.ts'

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } },
})
const files = named.length > 0 ? globSync(named) : mixed(globSync('test/**/*.test.ts'))

if (files.length === 0) throw new Error(`No test file matches ${named.join(' ')}`)

/** Longest that one file may take, in milliseconds, and half of what a process of several may: a hung test must not hang everything. */
const FILE_MS = 5 * 60_000

/** Twice as many as there are processors: some wait while others compute. */
const filesAtOnce = availableParallelism() * 2

useMemoryForTemporaryFiles()
const postgres = await startPostgres({ durable: false })
try {
  process.env[ADMIN_URL] = await makeTemplate()
  process.env[PROGRAM] = programFile
  await runTests()
} finally {
  await postgres.stop()
}
// What an ended file has started may still hold its output open.
process.exit()

async function makeTemplate(): Promise<string> {
  const admin = withDatabaseName(postgres.connectionString, 'postgres')
  await runOn(admin, `create database ${TEMPLATE}`)
  await prepareDatabase(withDatabaseName(admin, TEMPLATE))
  return admin
}

/**
 * Files of one folder are of a kind: mixed, those that compute run beside those that wait. The same order each time. `node --test`
 * would sort them again.
 */
function mixed(names: string[]): string[] {
  const place = (name: string): string => createHash('sha1').update(name).digest('hex')
  return names.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
}

/** A signal to us ends the files that run. Ctrl-C reaches them by itself, too. */
async function runTests(): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  process.on('disconnect', () => stopping.abort())
  process.channel?.unref()
  const patterns = options['test-name-pattern']
  const tests = run({
    // A pattern would leave out the test that is a file of a batch, with all that is in it.
    files:
      patterns.length > 0 ? files.map((file) => resolve(file)) : batchesOf(files, { processes: filesAtOnce, limitMs: FILE_MS }),
    concurrency: filesAtOnce,
    timeout: 2 * FILE_MS,
    testNamePatterns: patterns,
    signal: stopping.signal,
  })
  tests.on('test:fail', () => (process.exitCode = 1))
  await pipeline(tests, new spec(), process.stdout, { end: false, signal: stopping.signal }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
    process.exitCode = 1
  })
}
