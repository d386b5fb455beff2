/** Which workspaces may have work: a small table that admitting lowers in its own transaction, and workers raise under its lock. */
import { sql } from './connect.ts'
import type { Connection, Database } from './connect.ts'

/** The kinds of background work that are found by workspace. */
export type DueLane = 'transactional' | 'campaign' | 'feedback'

/** Workspaces with something due now, the longest waiting first. */
export async function dueWorkspaces(db: Database, lane: DueLane, most: number): Promise<number[]> {
  const rows = await db.rows<{ workspace_id: number }>(sql`
    select workspace_id from due where lane = ${lane} and next_at <= facteur_now() order by next_at limit ${most}`)
  return rows.map((row) => row.workspace_id)
}

/** Milliseconds until the next due time of a lane; null when nothing waits. */
export async function msUntilDue(db: Database, lane: DueLane): Promise<number | null> {
  const [row] = await db.rows<{ ms: number | null }>(sql`
    select (extract(epoch from min(next_at) - facteur_now()) * 1000)::float8 as ms from due where lane = ${lane}`)
  return row?.ms ?? null
}

/** Says that a workspace has work from `secondsAhead` on. */
export async function hintDue(db: Database, workspaceId: number, lane: DueLane, secondsAhead = 0): Promise<void> {
  await db.count(sql`
    insert into due (workspace_id, lane, next_at)
    values (${workspaceId}, ${lane}, facteur_now() + make_interval(secs => ${secondsAhead}))
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at`)
}

/**
 * Sets when a workspace's ledger has work next, or forgets it. The row is locked first, which waits out every admission that
 * touched it; only the statement after sees what they committed.
 */
export function raiseDue(db: Connection, workspaceId: number, lane: 'transactional' | 'campaign'): Promise<void> {
  return raise(db, workspaceId, lane, (tx) =>
    tx.rows<{ next: Date | null }>(sql`
      select least(
        (select min(next_at) from recipient where workspace_id = ${workspaceId} and lane = ${lane} and state = 'pending'),
        (select min(next_at) from recipient where workspace_id = ${workspaceId} and lane = ${lane} and state = 'leased'),
        (select min(next_at) from recipient where workspace_id = ${workspaceId} and lane = ${lane} and state = 'in_doubt')
      ) as next`),
  )
}

/** The same for the news that is owed or waited for; `silenceSeconds` null: silence never means delivered. */
export function raiseFeedbackDue(db: Connection, workspaceId: number, silenceSeconds: number | null): Promise<void> {
  return raise(db, workspaceId, 'feedback', (tx) =>
    tx.rows<{ next: Date | null }>(sql`
      select least(
        (select min(feedback_at) from captured_mail where workspace_id = ${workspaceId} and feedback_at is not null),
        (select min(sent_at) from recipient where workspace_id = ${workspaceId} and status = 'sent')
          + make_interval(secs => ${silenceSeconds}::float8)
      ) as next`),
  )
}

async function raise(
  db: Connection,
  workspaceId: number,
  lane: DueLane,
  nextWork: (tx: Database) => Promise<{ next: Date | null }[]>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows(sql`select 1 from due where workspace_id = ${workspaceId} and lane = ${lane} for update`)
    const [row] = await nextWork(tx)
    if (row?.next) {
      await tx.count(sql`update due set next_at = ${row.next} where workspace_id = ${workspaceId} and lane = ${lane}`)
    } else {
      await tx.count(sql`delete from due where workspace_id = ${workspaceId} and lane = ${lane}`)
    }
  })
}
