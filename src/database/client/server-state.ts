/**
 * Problems of the database server that the operator must know: it refuses writes, or something
 * keeps VACUUM from removing rows.
 */
import { sql } from './sql.ts'
import type { Database } from './database.ts'

/**
 * Whether this connection can write: not on a standby, nor where the server was set to be read
 * only.
 */
export function isReadOnly(db: Database): Promise<boolean> {
  return db.onlyValue<boolean>(
    sql`select current_setting('transaction_read_only') = 'on' as read_only`,
  )
}

/**
 * What the operator reads then, in the service's refusal to start, in a command's and in `doctor`.
 */
export const readOnlyServer = {
  problem: 'the database takes no writes: it is a standby, or was set to be read only',
  mend: 'Let DATABASE_URL name the primary, or set default_transaction_read_only to off there.',
}

export interface HorizonHolder {
  kind: 'transaction' | 'prepared' | 'slot'
  /**
   * Its age; of a slot, how long it was not read. Null if there is none, or (a slot before
   * PostgreSQL 17) it is not known.
   */
  seconds: number | null
  /**
   * The holder: an application and its process, or the name of a prepared transaction or slot.
   * Null if nothing is held.
   */
  holder: string | null
  /** Bytes of the log that a slot keeps. */
  bytes: number | null
}

/**
 * The oldest open transaction, prepared transaction and unread replication slot of this database.
 * While they last, VACUUM removes nothing that is younger (PostgreSQL, 25.1.5), and a slot keeps
 * the log. Without pg_read_all_stats a server shows only our own role's.
 */
export function horizonHolders(db: Database): Promise<HorizonHolder[]> {
  return db.rows<HorizonHolder>(sql`
    with transactions as (
      select 'transaction' as kind, extract(epoch from facteur_now() - xact_start)::float8 as seconds,
        concat_ws(' ', nullif(application_name, ''), 'process ' || pid) as holder, null::float8 as bytes
      from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and xact_start is not null
      order by xact_start limit 1
    ), prepared as (
      select 'prepared' as kind, extract(epoch from facteur_now() - prepared)::float8 as seconds,
        gid as holder, null::float8 as bytes
      from pg_prepared_xacts where database = current_database() order by prepared limit 1
    ), slots as (
      -- Versions before 17 have no such column.
      select 'slot' as kind,
        extract(epoch from facteur_now() - (to_jsonb(s) ->> 'inactive_since')::timestamptz)::float8
          as seconds,
        slot_name::text as holder,
        pg_wal_lsn_diff(
          case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
          restart_lsn)::float8 as bytes
      from pg_replication_slots s where not active and restart_lsn is not null
      order by seconds desc nulls last, bytes desc limit 1
    )
    select k.kind, h.seconds, h.holder, h.bytes from (values ('transaction'), ('prepared'), ('slot')) k (kind)
    left join (select * from transactions union all select * from prepared union all select * from slots) h
      on h.kind = k.kind`)
}

/** Seconds after which the operator must know. */
const horizonSecondsMax = 60

/**
 * Whether it is held for too long. A slot of unknown age counts from a gigabyte of the log that it
 * keeps.
 */
export const isTooOld = ({ holder, seconds, bytes }: HorizonHolder): boolean =>
  holder !== null && (seconds === null ? (bytes ?? 0) > 1e9 : seconds > horizonSecondsMax)
