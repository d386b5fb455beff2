/**
 * Databases with a second cell: it is added once for a file and cloned for each test, because
 * adding it takes seconds.
 */
import { connect } from '../../src/database/client/connect.ts'
import { addTestCell } from '../support/add-test-cell.ts'
import {
  ADMIN_URL,
  emptyDatabase,
  freshDatabase,
  runOn,
  type TestDatabase,
} from '../support/database.ts'

type Scope = { after: (end: () => Promise<void>) => void }

/** Call it once in a file; the result makes the databases of its tests. */
export async function makeTwoCells(): Promise<(scope: Scope) => Promise<TestDatabase>> {
  const { url: template } = await freshDatabase()
  await addTestCell(template, { isOnly: false })
  return async (scope) => {
    const url = await emptyDatabase(scope)
    await runOnServer(`drop database ${nameOf(url)}`)
    await runOnServer(
      `create database ${nameOf(url)} template ${nameOf(template)} strategy file_copy`,
    )
    const clone = connect({ connectionString: url, poolSize: 5 })
    scope.after(() => clone.end())
    return { url, connection: clone }
  }
}

const runOnServer = (statement: string) => runOn(process.env[ADMIN_URL] ?? '', statement)

const nameOf = (url: string): string => /\/(test_\w+)/.exec(url)?.[1] ?? ''
