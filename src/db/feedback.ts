/** News from providers about recipients: kept once, moving statuses forward only (semantics 3). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import { erasedAddress } from './erasures.ts'

export interface FeedbackRow {
  /** Where it came from, and its own identifier there: the pair is kept once. */
  source: string
  sourceId: string
  messageId: string
  position: number
  kind: 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  /** Why, in the words of the source. */
  detail: string | null
}

export interface MovedRow {
  messageId: string
  position: number
  status: string
  addressKey: string
}

/**
 * Stores the feedback that is new and moves its recipients forward (complained > bounced > delivered > failed > sent >
 * queued), with suppression and reputation, all or nothing. Answers the rows that moved. News of a row whose hand-off never
 * started changes nothing. Of an erased person's row no words are kept, and there is no address to close.
 */
export function recordFeedback(db: Database, workspaceId: number, news: FeedbackRow[]): Promise<MovedRow[]> {
  return db.rows<MovedRow>(sql`
    with f as materialized (
      select * from unnest(${news.map((n) => n.source)}::text[], ${news.map((n) => n.sourceId)}::text[],
                           ${news.map((n) => n.messageId)}::uuid[], ${news.map((n) => n.position)}::smallint[],
                           ${news.map((n) => n.kind)}::text[], ${news.map((n) => n.detail)}::text[])
        as t (source, source_id, message_id, position, kind, detail)
    ), fresh as (
      insert into feedback (workspace_id, source, source_id, message_id, position, kind, detail, received_at)
      select ${workspaceId}, f.source, f.source_id, f.message_id, f.position, f.kind,
        case when r.address_key <> ${erasedAddress} then f.detail end, facteur_now()
      from f cross join lateral (
        select attempts, address_key from recipient
        where workspace_id = ${workspaceId} and message_id = f.message_id and position = f.position) r
      where r.attempts > 0
      order by f.source, f.source_id
      on conflict do nothing
      returning message_id, position, kind, detail
    ), rank (status, place) as (
      values ('queued', 1), ('sent', 2), ('failed', 3), ('delivered', 4), ('bounced', 5), ('complained', 6)
    ), best as materialized (
      select distinct on (f.message_id, f.position) f.*, k.place from fresh f join rank k on k.status = f.kind
      order by f.message_id, f.position, k.place desc
    ), held as materialized (
      -- Locked whatever its status: that one is read behind the lock, where other news may have moved it.
      select r.message_id, r.position, r.status as known, b.kind, b.detail, b.place
      from (select * from best order by message_id, position) b
      cross join lateral (
        select * from recipient where workspace_id = ${workspaceId} and message_id = b.message_id and position = b.position for update) r
    ), moved as (
      update recipient r set status = h.kind,
        error = case when h.kind in ('bounced', 'complained', 'failed') then coalesce(h.detail, h.kind) end,
        sent_at = coalesce(r.sent_at, facteur_now()),
        delivered_at = case when h.kind in ('delivered', 'complained') then coalesce(r.delivered_at, facteur_now()) else r.delivered_at end,
        delivered_by = case when h.kind in ('delivered', 'complained') then coalesce(r.delivered_by, 'feedback') else r.delivered_by end,
        -- Proof of what became of it ends every doubt; a holder that still waits settles its row itself.
        state = case when r.state = 'leased' then 'leased' else 'settled' end
      from held h join rank k on k.status = h.known
      where r.workspace_id = ${workspaceId} and r.message_id = h.message_id and r.position = h.position and k.place < h.place
      returning r.message_id, r.position, r.status, r.address_key
    ), excluded_addresses as (
      insert into suppression (workspace_id, email, id, reason, source_id, created_at)
      select distinct on (address_key) ${workspaceId}::bigint, address_key, gen_random_uuid(),
        case status when 'bounced' then 'bounce' else 'complaint' end, message_id::text, date_trunc('milliseconds', facteur_now())
      from moved where status in ('bounced', 'complained') and address_key <> ${erasedAddress} order by address_key, status desc
      on conflict (workspace_id, email) do update set reason = excluded.reason, source_id = excluded.source_id
        where array_position(array['unsubscribe', 'manual', 'bounce', 'complaint'], suppression.reason)
            < array_position(array['unsubscribe', 'manual', 'bounce', 'complaint'], excluded.reason)
    ), reputation as (
      insert into reputation_day (workspace_id, epoch, day, bounces, complaints)
      select ${workspaceId}, w.reputation_epoch, (facteur_now() at time zone 'utc')::date,
        count(*) filter (where m.status = 'bounced'), count(*) filter (where m.status = 'complained')
      from moved m join workspace w on w.id = ${workspaceId}
      where m.status in ('bounced', 'complained') group by w.reputation_epoch
      on conflict (workspace_id, epoch, day) do update
        set bounces = reputation_day.bounces + excluded.bounces, complaints = reputation_day.complaints + excluded.complaints
    )
    select message_id as "messageId", position, status, address_key as "addressKey" from moved`)
}

/** Takes silence as delivery for rows that were sent longer ago than that, on a provider that gives no news. */
export function deliverBySilence(db: Database, workspaceId: number, silenceSeconds: number, most: number): Promise<number> {
  return db.count(sql`
    with silent as materialized (
      select message_id, position from recipient
      where workspace_id = ${workspaceId} and status = 'sent' and sent_at <= (select facteur_now() - make_interval(secs => ${silenceSeconds}))
      order by sent_at limit ${most} for update skip locked
    )
    update recipient r set status = 'delivered', delivered_by = 'silence', delivered_at = facteur_now()
    from silent s where r.workspace_id = ${workspaceId} and r.message_id = s.message_id and r.position = s.position`)
}
