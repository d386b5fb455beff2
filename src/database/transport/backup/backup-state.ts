/** The state of the scheduled backup, which all processes share. */
import { fragment } from '../../client/fragment.ts'
import { sql } from '../../client/sql.ts'
import type { Database } from '../../client/database.ts'

export interface BackupState {
  takenAt: Date | null
  /** Since the moment that the last one shows. Null if there is none. */
  ageSeconds: number | null
  name: string | null
  bytes: number | null
  seconds: number | null
  /**
   * Of the last try. Null if it succeeded, or nothing has tried again since, because no process has
   * a schedule any more.
   */
  failedAt: Date | null
  error: string | null
}

/** Null if none was tried. */
export function backupState(db: Database): Promise<BackupState | null> {
  return db.row<BackupState>(sql`
    select taken_at, extract(epoch from facteur_now() - taken_at)::float8 as age_seconds,
      name, bytes, seconds,
      case when ${isTried} then failed_at end as failed_at, case when ${isTried} then error end as error
    from backup_state`)
}

/** A failure is tried again within ten minutes. */
const isTried = fragment`tried_at > facteur_now() - interval '30 minutes'`

/**
 * Takes the turn of one process. False means none is due, or another process makes it. A failure is
 * tried again after `retrySeconds`.
 */
export function takeBackupTurn(
  db: Database,
  { everySeconds, retrySeconds }: { everySeconds: number; retrySeconds: number },
): Promise<boolean> {
  return db.changes(sql`
    insert into backup_state as b (tried_at) values (facteur_now())
    on conflict (only_row) do update set tried_at = excluded.tried_at
    where coalesce(b.taken_at, '-infinity') <= facteur_now() - make_interval(secs => ${everySeconds}::float8)
      and b.tried_at <= facteur_now() - make_interval(secs => ${retrySeconds}::float8)`)
}

/** Shows the others that it goes on. */
export async function renewBackupTurn(db: Database): Promise<void> {
  await db.count(sql`update backup_state set tried_at = facteur_now()`)
}

export async function recordBackup(
  db: Database,
  {
    takenAt,
    name,
    bytes,
    seconds,
  }: { takenAt: string; name: string; bytes: number; seconds: number },
): Promise<void> {
  await db.count(sql`
    update backup_state
    set taken_at = ${takenAt}, name = ${name}, bytes = ${bytes}, seconds = ${seconds}, failed_at = null,
      error = null`)
}

export async function recordBackupFailure(db: Database, error: string): Promise<void> {
  await db.count(sql`update backup_state set failed_at = facteur_now(), error = ${error}`)
}
