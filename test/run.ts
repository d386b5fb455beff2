/**
 * `npm test [-- FILE…]` and `npm run test:all`: one PostgreSQL for all, a migrated template that
 * test files clone, then node's own test runner. Named files are played whatever their tier.
 */
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ADMIN_URL, runOn, TEMPLATE, withDatabaseName } from './support/database.ts'
import { prepareDatabase, startPostgres } from './support/postgres.ts'
import { PROGRAM, programFile } from './support/program.ts'
import { mixed, runFiles } from './support/run-files.ts'
import { compareStatements } from './support/statements/compare-statements.ts'
import { STATEMENTS } from './support/statements/record-statements.ts'
import { makeTemporaryFolder, useMemoryForTemporaryFiles } from './support/temporary-folder.ts'
import { filesOf } from './tiers.ts'

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    // What `npm test` leaves out.
    rest: { type: 'boolean', default: false },
  },
})
const files = named.length > 0 ? globSync(named) : mixed(filesOf(options.rest ? 'rest' : 'quick'))

if (files.length === 0) throw new Error(`No test file matches ${named.join(' ')}`)
useMemoryForTemporaryFiles()
const postgres = await startPostgres({ durable: false })
try {
  process.env[ADMIN_URL] = await makeTemplate()
  process.env[PROGRAM] = programFile
  const statements = (process.env[STATEMENTS] = makeTemporaryFolder('statements'))
  await runFiles(files, options['test-name-pattern'])
  await reportStatements(statements)
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
 * The statements that the played files made agree with their declared rows and values. The whole
 * quick tier makes each statement of `src/db/`.
 */
async function reportStatements(folder: string): Promise<void> {
  const template = withDatabaseName(postgres.connectionString, TEMPLATE)
  const { described, problems, unreached } = await compareStatements(folder, template)
  console.log(`${described} statements were compared with PostgreSQL's description`)
  for (const problem of problems) console.log(`✖ ${problem}`)
  if (problems.length > 0) process.exitCode = 1
  const isWholeTier =
    named.length === 0 && !options.rest && options['test-name-pattern'].length === 0
  if (!isWholeTier || unreached.length === 0) return
  for (const location of unreached)
    console.log(`✖ ${location}: no test of this tier makes the statement`)
  process.exitCode = 1
}
