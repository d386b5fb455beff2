/** Idempotency keys: which messages a key stands for, and whether their fate is known yet (semantics 1). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface IdempotencyRow {
  fingerprint: Buffer
  messageIds: string[]
  /**
   * Whether the accepting request may still refuse: some recipient is inside its own hand-off, or all of them were refused and
   * are yet to be taken back.
   */
  open: boolean
}

/** What a key stands for; null when it is free. */
export async function findIdempotencyKey(db: Database, workspaceId: number, key: string): Promise<IdempotencyRow | null> {
  const [row] = await db.rows<IdempotencyRow>(sql`
    select k.fingerprint, k.message_ids as "messageIds",
      exists (
        select from message m where m.workspace_id = ${workspaceId} and m.id = any (k.message_ids) and m.inline_until > facteur_now()
      ) and (
        exists (
          select from recipient r where r.workspace_id = ${workspaceId} and r.message_id = any (k.message_ids)
            and r.state = 'leased' and r.fence = 1
        ) or not exists (
          select from recipient r where r.workspace_id = ${workspaceId} and r.message_id = any (k.message_ids)
            and not (r.state = 'settled' and r.status in ('failed', 'bounced') and r.sent_at is null)
        )
      ) as open
    from idempotency_key k where k.workspace_id = ${workspaceId} and k.key = ${key}`)
  return row ?? null
}

/**
 * Takes back what a call was given that the provider refused for every recipient: its key is free again and its quota
 * returned. Answers false, and does nothing, when some recipient was not refused.
 */
export async function takeBackRefused(db: Database, workspaceId: number, ids: string[], key: string | null): Promise<boolean> {
  const [row] = await db.rows<{ refused: boolean }>(sql`
    with refused as materialized (
      select not exists (
        select from recipient where workspace_id = ${workspaceId} and message_id = any (${ids}::uuid[])
          and not (state = 'settled' and status in ('failed', 'bounced'))) as all_of_them
    ), kept as (
      -- Never shown as accepted: the row stays, as failed.
      update recipient set status = 'failed' where workspace_id = ${workspaceId} and message_id = any (${ids}::uuid[])
        and status = 'bounced' and (select all_of_them from refused)
    ), freed as (
      delete from idempotency_key where workspace_id = ${workspaceId} and key = ${key} and (select all_of_them from refused)
    ), returned as (
      update quota_usage q set used = q.used - n.recipients
      from (
        select m.quota_month, count(*) as recipients from message m
        join recipient r on r.workspace_id = ${workspaceId} and r.message_id = m.id
        where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[]) group by m.quota_month
      ) n
      where q.workspace_id = ${workspaceId} and q.month = n.quota_month and (select all_of_them from refused)
    )
    select all_of_them as refused from refused`)
  return row?.refused ?? false
}

/** Forgets keys older than two days (a day is promised). */
export function forgetIdempotencyKeys(db: Database, workspaceId: number): Promise<number> {
  return db.count(sql`
    delete from idempotency_key where workspace_id = ${workspaceId} and created_at < facteur_now() - interval '48 hours'`)
}
