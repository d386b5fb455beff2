/**
 * Requests of contacts for what is stored about them. The evidence of each is what its link is
 * checked by, so that an erasure takes both: a link works until it was used, for an hour from when it
 * left.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export type RequestAct = 'data_requested' | 'erasure_requested'

/** A request, the page that its link opened, and the file that the page led to. */
export type DataAct = RequestAct | 'data_opened' | 'data_downloaded'

/** Whether the contact asked for it in the last 24 hours. */
export function hasRequestedToday(
  db: Database,
  workspaceId: number,
  { subscriberId, act }: { subscriberId: string; act: RequestAct },
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select count(*) > 0 as has from choice_evidence
    where workspace_id = ${workspaceId} and subscriber_id = ${subscriberId} and act = ${act}
      and at > (select facteur_now() - interval '24 hours')`)
}

/** What leads to the data, by the evidence `id` of `act`; `next`: the act that uses it up. */
export interface DataLink {
  id: string
  subscriberId: string
  act: DataAct
  next: DataAct
}

/**
 * Whether a link works now: until its `next` act, for an hour, and no more after a restore, which
 * does not know the links that were used since the backup. A mail has the identifier of its request,
 * and may have waited for hours.
 */
export function isDataLinkOpen(
  db: Database,
  workspaceId: number,
  { id, subscriberId, act, next }: DataLink,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select count(*) > 0 as is_open
    from choice_evidence e
    where e.workspace_id = ${workspaceId} and e.id = ${id} and e.subscriber_id = ${subscriberId}
      and e.act = ${act}
      and coalesce((
        select r.sent_at
        from recipient r
        where r.workspace_id = ${workspaceId} and r.message_id = e.id limit 1), e.at)
        > (select facteur_now() - interval '1 hour')
      and e.at > coalesce((select restored_at from installation), '-infinity')
      and not exists (
        select from choice_evidence u
        where u.workspace_id = ${workspaceId} and u.subscriber_id = ${subscriberId} and u.act = ${next}
          and u.at >= e.at)`)
}
