/**
 * Which bodies must stay although their age is above the limit: that of a message counts from when the message was finished,
 * so that a scheduled mail or one in retry still has its text.
 */
import { sql, type Database } from '../connection/connect.ts'

/**
 * Whether a message of the range (`from` included, `to` not) is in use at `before`. Without one, the bodies and attachments
 * of the range can be dropped at once; else `finishedBodies` names those to delete.
 */
export function hasBodiesInUse(db: Database, { from, to, before }: { from: string; to: string; before: Date }): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from workspace w cross join lateral (
        select from recipient r
        where r.workspace_id = w.id and r.message_id >= ${from} and r.message_id < ${to} and (r.state <> 'settled' or coalesce(r.settled_at, r.sent_at) >= ${before}) limit 1) used)`)
}

/** Messages of a workspace with bodies in the range that are not in use at `before`, at most `max`, oldest first. */
export function finishedBodies(
  db: Database,
  workspaceId: number,
  { from, to, before, max }: { from: string; to: string; before: Date; max: number },
): Promise<string[]> {
  return db.column<string>(sql`
    select b.message_id from message_body b
    where b.workspace_id = ${workspaceId} and b.message_id >= ${from} and b.message_id < ${to}
      and not exists (
        select from recipient r where r.workspace_id = ${workspaceId} and r.message_id = b.message_id and (r.state <> 'settled' or coalesce(r.settled_at, r.sent_at) >= ${before}))
    order by b.message_id limit ${max}`)
}
