/**
 * Locks all tables that a migration changes before its first change, so that no call is the victim
 * of a deadlock with it.
 *
 * PostgreSQL checks for a deadlock once, when a session has waited for `deadlock_timeout`. So the
 * migration gives up all its locks before any session can have waited so long for one of them.
 */
import type pg from 'pg'
import { lockTimeoutMs } from './short-locks.ts'
import { locksOf, lockModes, type LockMode } from './statement-locks.ts'
import { statementsOf } from './statement-text.ts'

export interface TableLock {
  /** As a statement names it. */
  table: string
  mode: LockMode
}

/**
 * The tables of the database that the file locks, each with its strongest lock, in the order of
 * their names. The calls of the service share the lock of changed rows, so that is left out.
 */
export async function tableLocksOf(client: pg.Client, text: string): Promise<TableLock[]> {
  const named = statementsOf(text)
    .flatMap(locksOf)
    .filter(({ mode }) => mode !== 'ROW EXCLUSIVE')
  const { rows } = await client.query<{ name: string; table: string }>(
    `select n.name, coalesce(i.indrelid, c.oid)::regclass::text as "table" from unnest($1::text[]) n (name)
     join pg_class c on c.oid = to_regclass(n.name) left join pg_index i on i.indexrelid = c.oid
     where c.relkind in ('r', 'p', 'i', 'I') order by 2`,
    [[...new Set(named.map(({ table }) => table))]],
  )
  return [...Map.groupBy(rows, ({ table }) => table)].map(([table, ofTable]) => {
    const names = new Set(ofTable.map(({ name }) => name))
    const modes = new Set(named.filter((lock) => names.has(lock.table)).map(({ mode }) => mode))
    return { table, mode: lockModes.findLast((mode) => modes.has(mode)) ?? 'ACCESS EXCLUSIVE' }
  })
}

/**
 * Call it first in the transaction. Fails as a lock timeout does when the locks are not free soon
 * enough.
 */
export async function lockTogether(client: pg.Client, locks: readonly TableLock[]): Promise<void> {
  const each = locks.map(
    ({ table, mode }) => `
      perform set_config('lock_timeout',
        greatest(1, extract(epoch from ends_at - clock_timestamp()) * 1000)::int::text, true);
      lock table ${table} in ${mode} mode;`,
  )
  // Some of the time is left for the statement itself.
  await client.query(`
    do $$ declare
      ends_at timestamptz := clock_timestamp() + current_setting('deadlock_timeout')::interval * 0.6;
    begin ${each.join('')} end $$;
    set local lock_timeout = ${lockTimeoutMs}`)
}

/**
 * Waits for each table alone and gives it up again: an autovacuum ends only after it has held us up
 * for `deadlock_timeout`.
 */
export async function clearTables(client: pg.Client, locks: readonly TableLock[]): Promise<void> {
  for (const { table, mode } of locks) {
    try {
      await client.query(`begin; lock table ${table} in ${mode} mode; commit`)
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  }
}
