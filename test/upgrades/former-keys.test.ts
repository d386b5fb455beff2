/** Keys that statements of the previous release name (`on conflict (…)`) are still there: without one, PostgreSQL refuses the statement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/connection/connect.ts'
import { freshDatabase } from '../support/database.ts'
import { previousSources, whyNoPreviousRelease } from './previous-program.ts'

const skip = whyNoPreviousRelease() ?? false

/** Each `insert into` with the columns of the key that it names. */
function conflictsOf(text: string): { table: string; columns: string }[] {
  return [...text.matchAll(/on conflict \(([\w, ]+)\)/gi)].flatMap(({ 1: columns = '', index }) => {
    const table = [...text.slice(0, index).matchAll(/insert into (\w+)/gi)].at(-1)?.[1]
    return table === undefined ? [] : [{ table, columns: columns.split(', ').toSorted().join(', ') }]
  })
}

test('the keys are read from statements', () => {
  const text =
    'with a as (insert into one (n) values (1) on conflict do nothing) insert into two (m, n) values (1) on conflict (n, m) do nothing'
  assert.deepEqual(conflictsOf(text), [{ table: 'two', columns: 'm, n' }])
})

test('each key that the previous release inserts by is a unique key of its table', { skip }, async () => {
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
})
