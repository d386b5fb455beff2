/**
 * Idempotency keys: which messages a key stands for, and whether their outcome is known yet
 * (semantics 1).
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface IdempotencyRow {
  fingerprint: Buffer
  messageIds: string[]
  /** Whether the accepting request may still be refused: its hand-off is under way, and in time. */
  open: boolean
  /** Whether that hand-off was refused for every recipient in time: the call was not accepted. */
  refused: boolean
}

/**
 * The messages that a key stands for; null when the key is free. Recorded times decide whether a
 * call was refused, so the answer never changes later.
 */
export function findIdempotencyKey(
  db: Database,
  workspaceId: number,
  key: string,
): Promise<IdempotencyRow | null> {
  return db.row<IdempotencyRow>(sql`
    select k.fingerprint, k.message_ids, coalesce(r.open, false) as open,
      coalesce(r.refused, false) as refused
    from idempotency_key k cross join lateral (
      -- Fence 1 is the request's own claim: a later claim begins only after the call was accepted.
      select bool_or(r.state = 'leased' and r.fence = 1 and m.inline_until > facteur_now()) as open,
        bool_and(coalesce(r.state = 'settled' and r.fence = 1 and r.status in ('failed', 'bounced')
          and r.settled_at <= m.inline_until, false)) as refused
      from message m join recipient r on r.workspace_id = ${workspaceId} and r.message_id = m.id
      where m.workspace_id = ${workspaceId} and m.id = any (k.message_ids)
    ) r
    where k.workspace_id = ${workspaceId} and k.key = ${key}`)
}

/**
 * Takes back a call that the provider refused for every recipient, in time: its key is free again,
 * its quota is returned, its rows stay as failed. Answers whether it was such a call. A second
 * request, by a twin or after a lost connection, gets the same answer and returns nothing twice.
 */
export function takeBackRefused(
  db: Database,
  workspaceId: number,
  ids: string[],
  key: string | null,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    with call as materialized (
      select coalesce(bool_and(coalesce(
          r.state = 'settled' and r.fence = 1 and r.status in ('failed', 'bounced')
            and r.settled_at <= m.inline_until, false)),
            false) as refused
      from message m join recipient r on r.workspace_id = ${workspaceId} and r.message_id = m.id
      where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[])
    ), marked as (
      -- The mark makes all of it happen once.
      update message set refused_at = facteur_now()
      where workspace_id = ${workspaceId} and id = any (${ids}::uuid[]) and refused_at is null
        and (select refused from call)
      returning id, quota_month
    ), kept as (
      update recipient r set status = 'failed' from marked
      where r.workspace_id = ${workspaceId} and r.message_id = marked.id and r.status = 'bounced'
    ), freed as (
      delete from idempotency_key
      where workspace_id = ${workspaceId} and key = ${key} and message_ids = ${ids}::uuid[]
        and (select refused from call)
    ), returned as (
      update quota_usage q set used = greatest(0, q.used - n.recipients)
      from (
        select marked.quota_month, count(*) as recipients
        from marked
        join recipient r on r.workspace_id = ${workspaceId} and r.message_id = marked.id
        group by marked.quota_month
      ) n, workspace w
      where w.id = ${workspaceId} and q.workspace_id = coalesce(w.quota_of, w.id) and q.month = n.quota_month
    )
    select refused from call`)
}
