/**
 * Keys that statements of the previous release name (`on conflict (…)`) are still there: without
 * one, PostgreSQL refuses the statement. Keys that it relies on without a name refuse what they
 * refused.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type * as connecting from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import * as present from '../../src/db/feedback/feedback.ts'
import { freshDatabase } from '../support/database.ts'
import { previousSources, previousTree, whyNoPreviousRelease } from './previous-program.ts'

const skip = whyNoPreviousRelease() ?? false

/** Each `insert into` with the columns of the key that it names. */
function conflictsOf(text: string): { table: string; columns: string }[] {
  return [...text.matchAll(/on conflict \(([\w, ]+)\)/gi)].flatMap(({ 1: columns = '', index }) => {
    const table = [...text.slice(0, index).matchAll(/insert into (\w+)/gi)].at(-1)?.[1]
    return table === undefined
      ? []
      : [{ table, columns: columns.split(', ').toSorted().join(', ') }]
  })
}

test('the keys are read from statements', () => {
  const text =
    'with a as (insert into one (n) values (1) on conflict do nothing) insert into two (m, n) values (1) on conflict (n, m) do nothing'
  assert.deepEqual(conflictsOf(text), [{ table: 'two', columns: 'm, n' }])
})

test(
  'each key that the previous release inserts by is a unique key of its table',
  { skip },
  async () => {
    const { connection: db } = await freshDatabase()
    const keys = await db.rows<{ name: string }>(sql`
    select t.relname || ': ' || string_agg(a.attname, ', ' order by a.attname) as name
    from pg_index i join pg_class t on t.oid = i.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey::int2[])
    where i.indisunique and t.relnamespace = 'public'::regnamespace group by i.indexrelid, t.relname`)
    const tables = new Set(keys.map(({ name }) => name.split(':')[0]))
    const known = new Set(keys.map(({ name }) => name))
    const needed = previousSources().flatMap(conflictsOf)
    assert.ok(needed.length > 20, `${needed.length} were found`)
    const gone = needed
      .filter(({ table }) => tables.has(table))
      .map(({ table, columns }) => `${table}: ${columns}`)
      .filter((name) => !known.has(name))
    assert.deepEqual([...new Set(gone)], [])
  },
)

test(
  'a report or a notice that one version stored is not stored again by the other',
  { skip },
  async (t) => {
    const { url, connection: db } = await freshDatabase(t)
    const from = async <T>(file: string): Promise<T> =>
      (await import(join(previousTree(), 'src', 'db', file))) as T
    const { connect } = await from<typeof connecting>('connection/connect.ts')
    const former = await from<typeof present>('feedback/feedback.ts')
    const formerDb = connect({ connectionString: url, poolSize: 1 })
    t.after(() => formerDb.end())
    const reportOf = (sourceId: string): present.FeedbackRow => ({
      ...{
        source: 'dsn',
        sourceId,
        message: { messageId: '01990000-0000-7000-8000-000000000001', position: 0 },
      },
      ...{
        campaign: null,
        kind: 'bounced',
        bounce: 'hard',
        code: null,
        complaint: null,
        detail: null,
        at: null,
        rawId: null,
      },
    })
    const notice = { source: 'dsn', id: 'one', bytes: Buffer.from('as it came'), size: 10 }

    assert.equal((await present.insertFeedback(db, 1, [reportOf('one')])).length, 1)
    assert.deepEqual(await former.insertFeedback(formerDb, 1, [reportOf('one')]), [])
    assert.deepEqual(await former.insertFeedback(formerDb, 1, [reportOf('one'), reportOf('two')]), [
      { source: 'dsn', sourceId: 'two' },
    ])
    assert.deepEqual(await former.insertFeedback(formerDb, 2, [reportOf('one')]), [
      { source: 'dsn', sourceId: 'one' },
    ])
    assert.deepEqual(await present.insertFeedback(db, 1, [reportOf('two')]), [])
    for (const _again of [1, 2]) {
      await present.insertRawNotices(db, 1, [notice])
      await former.insertRawNotices(formerDb, 1, [notice])
    }
    assert.deepEqual(
      await db.onlyRow(
        sql`select (select count(*)::int from feedback) as reports, (select count(*)::int from raw_notice) as notices`,
      ),
      { reports: 3, notices: 1 },
    )
  },
)
