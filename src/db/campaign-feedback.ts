/** News of a campaign's recipients: kept once, moving statuses forward only, and counted where statistics are read (semantics 3). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import { erasedAddress } from './erasures.ts'

export interface CampaignFeedback {
  /** Where it came from, and its own identifier there: the pair is kept once. */
  source: string
  sourceId: string
  campaignId: string
  subscriberId: string
  kind: 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  /** Why, in the words of the source. */
  detail: string | null
}

export interface MovedRecipient {
  campaignId: string
  subscriberId: string
  status: string
  email: string
}

/**
 * Stores the feedback that is new and moves its recipients forward (complained > bounced > delivered > failed > sent > queued), with
 * progress, tallies, suppression, the subscriber's status and reputation, all or nothing. Answers the rows that moved. News of a
 * recipient whose hand-off never started changes nothing; of an erased person no words are kept, and there is no address to
 * close. Locks as all who change states do: progress, recipients, tallies.
 */
export function recordCampaignFeedback(db: Database, workspaceId: number, news: CampaignFeedback[]): Promise<MovedRecipient[]> {
  return db.rows<MovedRecipient>(sql`
    with f as materialized (
      select * from unnest(${news.map((n) => n.source)}::text[], ${news.map((n) => n.sourceId)}::text[],
                           ${news.map((n) => n.campaignId)}::uuid[], ${news.map((n) => n.subscriberId)}::uuid[],
                           ${news.map((n) => n.kind)}::text[], ${news.map((n) => n.detail)}::text[])
        as t (source, source_id, campaign_id, subscriber_id, kind, detail)
    ), walks as materialized (
      select p.campaign_id from (select distinct campaign_id from f order by 1) d
      cross join lateral (select campaign_id from campaign_progress where workspace_id = ${workspaceId} and campaign_id = d.campaign_id for update) p
    ), fresh as (
      insert into feedback (workspace_id, source, source_id, position, campaign_id, subscriber_id, kind, detail, received_at)
      select ${workspaceId}, f.source, f.source_id, 0, f.campaign_id, f.subscriber_id, f.kind,
        case when r.email <> ${erasedAddress} then f.detail end, facteur_now()
      from (select f.* from (select count(*) from walks) after_walks cross join f order by f.source, f.source_id) f
      cross join lateral (
        select attempts, email from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = f.campaign_id and subscriber_id = f.subscriber_id) r
      where r.attempts > 0
      on conflict do nothing
      returning campaign_id, subscriber_id, kind, detail
    ), rank (status, place) as (
      values ('queued', 0), ('suppressed', 1), ('sent', 2), ('failed', 3), ('delivered', 4), ('bounced', 5), ('complained', 6)
    ), best as materialized (
      select distinct on (f.campaign_id, f.subscriber_id) f.*, k.place from fresh f join rank k on k.status = f.kind
      order by f.campaign_id, f.subscriber_id, k.place desc
    ), held as materialized (
      -- Locked whatever its status: that one is read behind the lock, where other news may have moved it.
      select b.campaign_id, b.subscriber_id, b.kind, b.detail, b.place, r.status as known, campaign_place(r.state, r.status, r.sent_at) as was_in
      from (select * from best order by campaign_id, subscriber_id) b
      cross join lateral (
        select state, status, sent_at from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = b.campaign_id and subscriber_id = b.subscriber_id for update) r
    ), moved as (
      update campaign_recipient r set status = h.kind,
        error = case when h.kind in ('bounced', 'complained', 'failed') then coalesce(h.detail, h.kind) end,
        sent_at = coalesce(r.sent_at, facteur_now()),
        delivered_at = case when h.kind in ('delivered', 'complained') then coalesce(r.delivered_at, facteur_now()) else r.delivered_at end,
        delivered_by = case when h.kind in ('delivered', 'complained') then coalesce(r.delivered_by, 'feedback') else r.delivered_by end,
        -- Proof of what became of it ends every doubt; a holder that still waits settles its row itself.
        state = case when r.state = 'leased' then 'leased' else 'settled' end,
        next_at = case when r.state = 'leased' then r.next_at end
      from held h join rank k on k.status = h.known
      where r.workspace_id = ${workspaceId} and r.campaign_id = h.campaign_id and r.subscriber_id = h.subscriber_id and k.place < h.place
      returning r.campaign_id, r.subscriber_id, r.email, r.status, h.known, h.was_in, campaign_place(r.state, r.status, r.sent_at) as is_in
    ), progressed as (
      update campaign_progress p set pending = p.pending + n.pending, sent = p.sent + n.sent, failed = p.failed + n.failed,
        suppressed = p.suppressed + n.suppressed, in_doubt = p.in_doubt + n.in_doubt
      from (
        select m.campaign_id, sum(step) filter (where place = 'pending') as pending, sum(step) filter (where place = 'sent') as sent,
          sum(step) filter (where place = 'failed') as failed, sum(step) filter (where place = 'suppressed') as suppressed,
          sum(step) filter (where place = 'in_doubt') as in_doubt
        from (
          select m.campaign_id, t.place, t.step
          from moved m cross join lateral (values
            ('pending', 0), ('sent', 0), ('failed', 0), ('suppressed', 0), ('in_doubt', 0), (m.was_in, -1), (m.is_in, 1)) t (place, step)
          where m.was_in <> m.is_in
        ) m group by m.campaign_id
      ) n
      where p.workspace_id = ${workspaceId} and p.campaign_id = n.campaign_id
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, m.campaign_id, t.measure, '', sum(t.step)
      from moved m cross join lateral (values
        -- Who complains has received it.
        ('delivered', (m.status in ('delivered', 'complained'))::int - (m.known in ('delivered', 'complained'))::int),
        ('bounced', (m.status = 'bounced')::int - (m.known = 'bounced')::int),
        ('complained', (m.status = 'complained')::int - (m.known = 'complained')::int)) t (measure, step)
      group by m.campaign_id, t.measure having sum(t.step) <> 0 order by m.campaign_id, t.measure
      on conflict (workspace_id, campaign_id, measure, label) do update set count = campaign_tally.count + excluded.count
    ), excluded_addresses as (
      insert into suppression (workspace_id, email, id, reason, source_id, created_at)
      select distinct on (email) ${workspaceId}::bigint, email, gen_random_uuid(),
        case status when 'bounced' then 'bounce' else 'complaint' end, campaign_id::text, date_trunc('milliseconds', facteur_now())
      from moved where status in ('bounced', 'complained') and email <> ${erasedAddress} order by email, status desc
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
    select campaign_id as "campaignId", subscriber_id as "subscriberId", status, email from moved`)
}
