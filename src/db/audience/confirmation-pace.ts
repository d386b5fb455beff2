/**
 * The pace of confirmations that a program causes many of: one leaves after the other, so many a
 * minute for a workspace. One row says when the next one may leave.
 */
import { limits } from '../../contract/limits.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ConfirmationPace {
  perMinute: number
  /** Until the next one may leave; 0: it leaves at once. */
  waitSeconds: number
}

export async function confirmationPaceOf(
  db: Database,
  workspaceId: number,
): Promise<ConfirmationPace> {
  const row = await db.row<ConfirmationPace>(sql`
    select per_minute, greatest(0, extract(epoch from next_at - facteur_now()))::float8 as wait_seconds
    from confirmation_pace where workspace_id = ${workspaceId}`)
  return row ?? { perMinute: limits.confirmationsPerMinute, waitSeconds: 0 }
}

/** The pace, and when the next confirmation may leave; other transactions wait for this one's end. */
export async function lockConfirmationPace(
  tx: Database,
  workspaceId: number,
): Promise<ConfirmationPace & { firstAt: Date }> {
  // A cluster computes no time beside a column of a row that changes.
  await tx.count(sql`
    insert into confirmation_pace (workspace_id, per_minute, next_at)
    values (${workspaceId}, ${limits.confirmationsPerMinute}, facteur_now()) on conflict do nothing`)
  return tx.onlyRow<ConfirmationPace & { firstAt: Date }>(sql`
    select
      per_minute,
      greatest(0, extract(epoch from next_at - facteur_now()))::float8 as wait_seconds,
      greatest(next_at, facteur_now()) as first_at
    from confirmation_pace
    where workspace_id = ${workspaceId}
    for update`)
}

/**
 * Takes the next `count` times at which a confirmation may leave, in the caller's transaction.
 * Answers the first one; the others follow at the pace.
 */
export async function takeConfirmationTimes(
  tx: Database,
  workspaceId: number,
  count: number,
): Promise<{ firstAt: Date; perMinute: number }> {
  const times = await lockConfirmationPace(tx, workspaceId)
  await tx.count(sql`
    update confirmation_pace
    set next_at = ${times.firstAt}::timestamptz
      + make_interval(secs => ${count}::float8 * 60 / ${times.perMinute}::float8)
    where workspace_id = ${workspaceId}`)
  return times
}

/** Sets the pace of those to come; the times that were given out stay. */
export async function setConfirmationsPerMinute(
  db: Database,
  workspaceId: number,
  perMinute: number,
): Promise<void> {
  await db.count(sql`
    insert into confirmation_pace (workspace_id, per_minute, next_at)
    values (${workspaceId}, ${perMinute}, facteur_now())
    on conflict (workspace_id) do update set per_minute = excluded.per_minute`)
}

/** Until the last confirmation of any workspace leaves that waits for its time, in seconds. */
export function longestConfirmationWait(db: Database): Promise<number> {
  return db.onlyValue<number>(sql`
    select coalesce(greatest(0, extract(epoch from max(next_at) - facteur_now())), 0)::float8 as seconds
    from confirmation_pace`)
}
