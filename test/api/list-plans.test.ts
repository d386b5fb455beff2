/** Page 1,000 of a list costs what page 1 does: the place where a page begins is a bound of the index, under plans made once. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { capturedEntries, capturedPage } from '../../src/db/captured/captured-mails.ts'
import { connect } from '../../src/db/connection/connect.ts'
import type { Database } from '../../src/db/connection/database.ts'
import type { Statement } from '../../src/db/connection/sql.ts'
import { suppressionPage } from '../../src/db/suppression/suppressions.ts'
import { freshDatabase } from '../support/database.ts'
import { recording } from '../support/plans.ts'

const { url } = await freshDatabase({ after })
const db = connect({ connectionString: url, poolSize: 1 })
after(() => db.end())

const before = { at: '2026-01-01T00:00:00Z', id: '00000000-0000-7000-8000-000000000000' }
const lists: Record<string, (db: Database) => Promise<unknown>> = {
  suppressionPage: (noting) => suppressionPage(noting, 1, { max: 51, before }),
  capturedPage: (noting) => capturedPage(noting, 1, { max: 51, before }),
  capturedEntries: (noting) => capturedEntries(noting, { workspaceId: 1, max: 51, before }),
}
for (const [name, ask] of Object.entries(lists)) {
  test(`${name}: the place is a condition of the index`, async () => {
    const plan = await explain(await statementOf(ask))
    assert.match(plan, /Index Cond: .*ROW\((?:\w+\.)?\w+_at, (?:\w+\.)?id\) < ROW\(/, plan)
  })
}

/** The statement of the list: it gets a database that only records its statements. */
async function statementOf(ask: (db: Database) => Promise<unknown>): Promise<Statement> {
  const asked: Statement[] = []
  await ask(
    recording((statement) => {
      asked.push(statement)
      return []
    }),
  )
  return asked[0] ?? assert.fail('nothing was asked')
}

async function explain({ text, values }: Statement): Promise<string> {
  const plain = (line: string) => ({ name: '', text: line, values: [] })
  return db.transaction(async (tx) => {
    await tx.count(plain(`prepare list as ${text}`))
    const nulls = values.map(() => 'null').join()
    const rows = await tx.rows<{ 'QUERY PLAN': string }>(plain(`explain execute list (${nulls})`))
    await tx.count(plain('deallocate list'))
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}
