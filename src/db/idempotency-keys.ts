/** Idempotency keys: which messages a key stands for, and whether their fate is known yet (semantics 1). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface IdempotencyRow {
  fingerprint: Buffer
  messageIds: string[]
  /** Whether some recipient is still inside the accepting request's own hand-off. */
  open: boolean
  /** Whether that hand-off was refused for every recipient, and the call is yet to be taken back. */
  refused: boolean
}

/** What a key stands for; null when it is free. */
export async function findIdempotencyKey(db: Database, workspaceId: number, key: string): Promise<IdempotencyRow | null> {
  const [row] = await db.rows<IdempotencyRow>(sql`
    select k.fingerprint, k.message_ids as "messageIds",
      coalesce(m.in_time and r.any_held, false) as open, coalesce(m.in_time and r.all_refused, false) as refused
    from idempotency_key k cross join lateral (
      select bool_or(inline_until > facteur_now()) as in_time from message
      where workspace_id = ${workspaceId} and id = any (k.message_ids)
    ) m cross join lateral (
      -- Fence 1 is the request's own claim: what became of later ones was accepted before.
      select bool_or(state = 'leased' and fence = 1) as any_held,
        bool_and(state = 'settled' and status in ('failed', 'bounced') and fence = 1) as all_refused
      from recipient where workspace_id = ${workspaceId} and message_id = any (k.message_ids)
    ) r
    where k.workspace_id = ${workspaceId} and k.key = ${key}`)
  return row ?? null
}

/**
 * Takes back what a call was given that the provider refused for every recipient: its key is free again and its quota
 * returned. Answers false, and does nothing, when some recipient was not refused. Where the call had a key, the first of several
 * who ask returns the quota, and a key that was claimed anew since is left alone.
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
      delete from idempotency_key where workspace_id = ${workspaceId} and key = ${key}
        and message_ids = ${ids}::uuid[] and (select all_of_them from refused)
      returning key
    ), returned as (
      update quota_usage q set used = q.used - n.recipients
      from (
        select m.quota_month, count(*) as recipients from message m
        join recipient r on r.workspace_id = ${workspaceId} and r.message_id = m.id
        where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[]) group by m.quota_month
      ) n
      where q.workspace_id = ${workspaceId} and q.month = n.quota_month and (select all_of_them from refused)
        and (${key}::text is null or exists (select from freed))
    )
    select all_of_them as refused from refused`)
  return row?.refused ?? false
}

/** Forgets keys older than two days (a day is promised). */
export function forgetIdempotencyKeys(db: Database, workspaceId: number): Promise<number> {
  return db.count(sql`
    delete from idempotency_key where workspace_id = ${workspaceId} and created_at < facteur_now() - interval '48 hours'`)
}
