/**
 * One change of partitions: a transaction that waits for locks a tenth of a second at most, once. A
 * statement that waits for a lock holds up everybody behind it, so that a change which finds a
 * table in use waits for the next round.
 */
import { isRetryable, sqlState } from '../client/database-errors.ts'
import { sql, type Statement } from '../client/sql.ts'
import type { Connection } from '../client/connect.ts'
import type { Database } from '../client/database.ts'

/** A foreign transaction has a table in use; nothing was changed. */
export class Postponed extends Error {}

/**
 * One process changes partitions at a time; the number is any that nothing else in this database
 * locks.
 */
const partitionLock = 7_305_203

/**
 * Statements of the service end sooner, and PostgreSQL looks for deadlocks later: this side gives
 * way first.
 */
const lockTimeoutMs = 100

/** Rows that stay may be copied for longer than other statements take; nobody waits for that. */
const changeMs = 300_000

/**
 * Runs the statements of a change in one transaction; null when another process changes partitions
 * now. `locks`: the tables that it locks for a moment. Throws `Postponed` where a long transaction
 * has one of them, or a lock is not free at once.
 */
export async function changePartitions<T>(
  db: Connection,
  locks: string[],
  work: (tx: Database) => Promise<T>,
): Promise<T | null> {
  try {
    return await db.transaction(async (tx) => {
      const isOurs = await tx.onlyValue<boolean>(
        sql`select pg_try_advisory_xact_lock(${partitionLock}) as ours`,
      )
      if (!isOurs) return null
      await postponeIfUsed(tx, locks)
      await tx.ask(plain(`set local lock_timeout = ${lockTimeoutMs}`))
      await tx.ask(plain(`set local statement_timeout = ${changeMs}`))
      return work(tx)
    })
  } catch (error) {
    if (sqlState(error) === '55P03' || isRetryable(error))
      throw new Postponed(`A lock was not free within ${lockTimeoutMs} ms`)
    throw error
  }
}

interface LongHolder {
  pid: number | null
  application: string | null
  seconds: number | null
}

/**
 * A backup may hold its locks for hours. Sessions of other users hide since when; theirs count as
 * long.
 */
async function postponeIfUsed(tx: Database, tables: string[]): Promise<void> {
  const holder = await tx.row<LongHolder>(sql`
    select l.pid, a.application_name as application,
      extract(epoch from clock_timestamp() - a.xact_start)::int as seconds
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.relation = any (select to_regclass(t) from unnest(${tables}::text[]) t)
      and l.pid is distinct from pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and coalesce(a.xact_start, '-infinity') < clock_timestamp() - interval '1 second'
    limit 1`)
  if (holder === null) return
  const { pid, application, seconds } = holder
  const who = [application, pid === null ? 'prepared' : `pid ${pid}`].filter(Boolean).join(', ')
  throw new Postponed(
    `A transaction (${who}${seconds === null ? '' : `, open for ${seconds} s`}) has ${tables.join(', ')} in use`,
  )
}

/** A statement of names and bounds of ours, which cannot be parameters. */
export const plain = (text: string, values: unknown[] = []): Statement => ({
  name: '',
  text,
  values,
  query_timeout: changeMs + 5_000,
})
