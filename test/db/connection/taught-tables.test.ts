/** What migrations teach the planner of empty tables (docs/decisions/0007) lasts: no cleaning comes by itself and finds them empty. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../../src/db/connection/migrate.ts'
import { freshDatabase, runOn } from '../../support/database.ts'

const { url } = await freshDatabase()
await runOn(url, 'drop schema public cascade; create schema public')
await migrate(url)

interface Table {
  name: string
  tuples: number
  dead: number
  inserted: number
  changed: number
  vacuumAfter: number
  insertsAfter: number
  analyzeAfter: number
}

/** Every table in which rows came and went. A server counts what a connection did once that is at its end. */
async function tables(): Promise<Table[]> {
  for (;;) {
    const { rows } = await runOn(
      url,
      `select s.relname as name, c.reltuples::int as tuples, n_dead_tup::int as dead, n_ins_since_vacuum::int as inserted,
        n_mod_since_analyze::int as changed, o.*
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid cross join lateral (
        select coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_threshold'), '50')::int as "vacuumAfter",
          coalesce(max(option_value) filter (where option_name = 'autovacuum_vacuum_insert_threshold'), '1000')::int as "insertsAfter",
          coalesce(max(option_value) filter (where option_name = 'autovacuum_analyze_threshold'), '50')::int as "analyzeAfter"
        from pg_options_to_table(c.reloptions)) o
      where n_tup_del > 100`,
    )
    if (rows.length > 30) return rows as Table[]
  }
}

const taught = await tables()

test('no table that was taught is due to be counted again', () => {
  const due = taught.filter(
    ({ dead, inserted, changed, vacuumAfter, insertsAfter, analyzeAfter }) =>
      dead > vacuumAfter || inserted > insertsAfter || changed > analyzeAfter,
  )
  assert.deepEqual(due, [])
})

test('every table that was taught is still held for one with rows, whatever index it was given since', () => {
  assert.deepEqual(
    taught.filter(({ tuples }) => tuples <= 0).map(({ name }) => name),
    [],
  )
})
