/**
 * A database for one test file: a clone of the migrated template, dropped when the file is done;
 * and the hands on its clock.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import { searchPathOf } from '../../src/database/client/search-path.ts'
import { recordStatements } from './statements/record-statements.ts'
import { until } from './until.ts'

recordStatements()

/** The variables that `test/run.ts` sets for the test processes. */
export const ADMIN_URL = 'FACTEUR_TEST_DATABASE'
/**
 * The other nodes where that is the coordinator of a cluster, with a space between them (`npm run
 * test:cluster`).
 */
export const OTHER_NODES = 'FACTEUR_TEST_OTHER_NODES'
export const TEMPLATE = 'facteur_template'

/**
 * `FACTEUR_TEST_CELL=2 npm test -- FILE…`: the template has a second cell, in which every new
 * workspace is made; connections of tests find its tables. Null if there is cell 1 alone.
 */
export const testCell =
  process.env['FACTEUR_TEST_CELL'] === '2' ? { id: 2, schema: 'cell_2' } : null

export interface TestDatabase {
  url: string
  /** A pool on it, closed at the end. */
  connection: Connection
}

/**
 * Call it once in a file (`await freshDatabase()`), or give it a test (`t`) to have it dropped with
 * that one.
 */
export async function freshDatabase(
  scope: { after: (end: () => Promise<void>) => void } = { after },
): Promise<TestDatabase> {
  // Not of the process's number alone, which is 1 in each namespace (test/world).
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`
  // The other way writes every page of the template to the log once more.
  await onEachNode(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  const url = withDatabaseName(adminUrl(), name)
  // Half of what the service has: each connection parses and plans for itself whatever is asked on
  // it.
  const connection = connect({
    connectionString: url,
    poolSize: 5,
    ...(testCell && { schema: testCell.schema }),
  })
  scope.after(async () => {
    await connection.end()
    // A node may keep a prepared transaction for a moment; it goes with the cluster.
    const isOnCluster = otherNodes().length > 0
    await onEachNode(`drop database ${name} with (force)`).catch((error: unknown) => {
      if (!isOnCluster) throw error
    })
  })
  return { url, connection }
}

/** A database without any table, as an operator gives it to a first start. */
export async function emptyDatabase(scope: {
  after: (end: () => Promise<void>) => void
}): Promise<string> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`
  await runOn(adminUrl(), `create database ${name}`)
  scope.after(async () => {
    await runOn(adminUrl(), `drop database ${name} with (force)`)
  })
  return withDatabaseName(adminUrl(), name)
}

/**
 * Moves the database's time: `moveClock(url, '3 hours')` is three hours after the real time, for
 * every connection at its next statement. It replaces facteur_now(), which in a real database is
 * statement_timestamp() and nothing else: no setting exists there that could move time, and a
 * constant offset is inlined into the plans (which PostgreSQL makes again when the function
 * changes).
 */
export async function moveClock(url: string, offset: string): Promise<void> {
  const seconds = Number(
    (await runOn(url, `select extract(epoch from interval '${offset}') as seconds`)).rows[0]
      ?.seconds,
  )
  await runOn(
    url,
    `create or replace function public.facteur_now() returns timestamptz language sql stable parallel safe
     return statement_timestamp() + interval '${seconds} seconds'`,
  )
}

/**
 * Stops the database's time at an instant, such as `2026-11-21T12:00:00.900Z`, until it is moved or
 * stopped again.
 */
export async function stopClock(url: string, instant: string): Promise<void> {
  await runOn(
    url,
    `create or replace function public.facteur_now() returns timestamptz language sql stable parallel safe
     return timestamptz '${instant}'`,
  )
}

/** A connection of a test's own, to a database. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    ...(testCell && { options: `-c search_path=${searchPathOf(testCell.schema)}` }),
  })
  // A server that ends meanwhile refuses the statement too.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Runs one statement of a test's own on a database. */
export async function runOn(url: string, statement: string): Promise<pg.QueryResult> {
  const client = await connectTo(url)
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The database, and those of its name on the other nodes of a cluster, where statements wait. */
export function onAllNodes(url: string): string[] {
  const [, name = ''] = databaseName.exec(url) ?? []
  return [url, ...otherNodes().map((node) => withDatabaseName(node, name))]
}

/**
 * Until a statement that holds these words waits for another session's lock; on a node of a
 * cluster, whose names are longer there.
 */
export async function untilWaits(url: string, words: string): Promise<void> {
  const isWaiting = async (server: string): Promise<boolean> => {
    const pattern = server === url ? words : words.replaceAll(' ', '%')
    const { rowCount } = await runOn(
      server,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%${pattern}%'`,
    )
    return rowCount !== 0
  }
  await until(async () => (await Promise.all(onAllNodes(url).map(isWaiting))).includes(true))
}

/** The same server and user, another database. */
export function withDatabaseName(url: string, name: string): string {
  return url.replace(databaseName, `/${name}$2`)
}

/** As it stands in an address, which may name a socket behind it. */
const databaseName = /\/([^/?]*)(\?|$)/

/** On the server of the tests; on a cluster it is the coordinator, and the other nodes follow. */
async function onEachNode(statement: string): Promise<void> {
  await Promise.all([adminUrl(), ...otherNodes()].map((url) => runOn(url, statement)))
}

const otherNodes = (): string[] => process.env[OTHER_NODES]?.split(' ') ?? []

function adminUrl(): string {
  const url = process.env[ADMIN_URL]
  if (!url) throw new Error('No database for tests: run them by "npm test -- FILE"')
  return url
}
