/** When Google's Postmaster Tools were last read, which all processes share. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface PostmasterState {
  /** The last success. Null means none yet. */
  readAt: Date | null
  ageSeconds: number | null
  /** How many of our verified domains the account may read. */
  domains: number | null
  /** Of the last try. Null means it succeeded. */
  failedAt: Date | null
  error: string | null
}

/** Null if nothing was tried. */
export function postmasterState(db: Database): Promise<PostmasterState | null> {
  return db.row<PostmasterState>(sql`
    select read_at, extract(epoch from facteur_now() - read_at)::float8 as age_seconds, domains,
      failed_at, error
    from postmaster_state`)
}

/**
 * Takes the turn of one process. False means none is due, or another process has it. A failure is
 * tried again after `retrySeconds`.
 */
export function takePostmasterTurn(
  db: Database,
  { everySeconds, retrySeconds }: { everySeconds: number; retrySeconds: number },
): Promise<boolean> {
  return db.changes(sql`
    insert into postmaster_state as s (tried_at) values (facteur_now())
    on conflict (only_row) do update set tried_at = excluded.tried_at
    where coalesce(s.read_at, '-infinity') <= facteur_now() - make_interval(secs => ${everySeconds}::float8)
      and s.tried_at <= facteur_now() - make_interval(secs => ${retrySeconds}::float8)`)
}

export async function recordPostmasterRound(db: Database, domains: number): Promise<void> {
  await db.count(sql`
    update postmaster_state
    set read_at = (select facteur_now()), domains = ${domains}, failed_at = null, error = null`)
}

export async function recordPostmasterFailure(db: Database, error: string): Promise<void> {
  await db.count(
    sql`update postmaster_state set failed_at = (select facteur_now()), error = ${error}`,
  )
}
