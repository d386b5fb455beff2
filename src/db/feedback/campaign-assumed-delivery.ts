/**
 * Campaigns on a provider without feedback: recipients that were sent longer ago than the
 * configured time count as delivered (semantics 3). This needs no index. A round reads the frozen
 * list in the order of its hand-offs, as far as it is old enough. A round that passed a recipient
 * still to be tried again is followed by another. Behind a recipient who was sent too recently,
 * others follow within moments: they wait for each other, a hundredth of that time, since each turn
 * leaves a row version.
 */
import type { CampaignTarget } from './campaign-feedback.ts'
import { subscriptionCheck, WebhookSubscribes } from '../webhooks/subscription-check.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { addToTally, countsSources } from '../campaigns/campaign-counts.ts'

/**
 * Schedules a campaign's assumed deliveries from the start of its list, in the transaction that
 * starts or resumes its run.
 */
export async function scheduleAssumedDelivery(
  tx: Database,
  workspaceId: number,
  campaignId: string,
  silenceSeconds: number,
): Promise<void> {
  await tx.count(sql`
    with expected as (
      insert into campaign_assumed_delivery (workspace_id, campaign_id, next_at)
      values (${workspaceId}, ${campaignId}, facteur_now() + make_interval(secs => ${silenceSeconds}))
      on conflict (workspace_id, campaign_id) do update set again = true
      returning next_at
    )
    insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'feedback', next_at from expected
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at
    where due.next_at > excluded.next_at`)
}

/**
 * Assumes delivery for up to `max` recipients of one campaign that is due. `scannedCount`: how many were
 * read; 0: none is due. `delivered`: the recipients, where events are published
 * (`unsubscribedTypes` is empty).
 */
export async function assumeCampaignDelivered(
  db: Database,
  workspaceId: number,
  {
    silenceSeconds,
    max,
    unsubscribedTypes,
  }: { silenceSeconds: number; max: number; unsubscribedTypes: readonly string[] },
): Promise<{ scannedCount: number; delivered: CampaignTarget[] }> {
  // 1. turn: the campaign that has waited longest, locked; other workers take the next one.
  // 2. span: the next part of its list.
  // 3. young: the first recipient of it who was sent too recently, or was not begun.
  // 4. quiet: those before it who are still sent, locked in the order of the list.
  // 5. delivered, tallied: their status, and the counters of the campaign.
  // 6. ended: whether the scan is over, and whether it goes round again.
  // 7. deleted, advanced: the place of the next scan and its time, or none.
  const [row] = await db.rows<{
    scannedCount: number
    campaignId: string | null
    delivered: string[] | null
    isSubscribed: boolean
  }>(sql`
    with ${subscriptionCheck(workspaceId, unsubscribedTypes)}, turn as materialized (
      select campaign_id, assumed_to, again, facteur_now() as now,
        facteur_now() - make_interval(secs => ${silenceSeconds}) as quiet_since
      from campaign_assumed_delivery where workspace_id = ${workspaceId} and next_at <= (select facteur_now())
        and not (select is_subscribed from subscribed)
      order by next_at limit 1 for update skip locked
    ), span as materialized (
      select r.subscriber_id, r.state, r.status, r.attempts, r.sent_at, t.quiet_since,
        row_number() over (order by r.subscriber_id) as place
      from turn t
      cross join lateral (
        select subscriber_id, state, status, attempts, sent_at from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = t.campaign_id and subscriber_id > t.assumed_to
        order by subscriber_id limit ${max}) r
    ), young as materialized (
      -- The scan stops in front of the first recipient who was sent too recently, or was not begun.
      select place, sent_at from span
      where (status = 'sent' and sent_at > quiet_since) or (state = 'pending' and attempts = 0)
      order by place limit 1
    ), quiet as materialized (
      select r.subscriber_id from span s
      cross join lateral (
        select subscriber_id from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = (select campaign_id from turn)
          and subscriber_id = s.subscriber_id
          and status = 'sent' and state = 'settled' for update) r
      where s.status = 'sent' and s.state = 'settled'
        and s.place < coalesce((select place from young), ${max}::int + 1)
    ), delivered as (
      update campaign_recipient r
      set status = 'delivered', delivered_by = 'silence', delivered_at = facteur_now()
      from quiet q
      where r.workspace_id = ${workspaceId} and r.campaign_id = (select campaign_id from turn)
        and r.subscriber_id = q.subscriber_id
      returning r.subscriber_id
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, m.campaign_id, s.measure, '', n.delivered
      from (select ${workspaceId}::bigint as workspace_id, campaign_id from turn) m
      cross join (select count(*) as delivered from delivered) n
      cross join (values ('assumed'), ('delivered')) s (measure)
      where n.delivered > 0 and (s.measure = 'delivered' or ${countsSources}) order by s.measure
      ${addToTally}
    ), ended as materialized (
      -- A recipient that the scan passed may be sent later. One in doubt waits for a user, whose
      -- release expects delivery again.
      select t.campaign_id, t.again
        or exists (select from span where state in ('pending', 'leased')) as again,
        (select count(*) from span) < ${max} and not exists (select from young) as over
      from turn t
    ), deleted as (
      delete from campaign_assumed_delivery s using ended e
      where s.workspace_id = ${workspaceId} and s.campaign_id = e.campaign_id and e.over and not e.again
    ), advanced as (
      update campaign_assumed_delivery s set
        assumed_to = case when e.over then '00000000-0000-0000-0000-000000000000'
          else coalesce((
            select subscriber_id from span
            where place < coalesce((select place from young), ${max}::int + 1)
            order by place desc limit 1), s.assumed_to) end,
        again = e.again and not e.over,
        next_at = case when e.over then t.now + make_interval(secs => ${silenceSeconds})
          when exists (select from young) then greatest(
            coalesce((select sent_at from young), t.now) + make_interval(secs => ${silenceSeconds}),
            t.now + make_interval(secs => ${silenceSeconds}::float8 / 100))
          else s.next_at end
      from ended e cross join turn t
      where s.workspace_id = ${workspaceId} and s.campaign_id = e.campaign_id and not (e.over and not e.again)
    )
    select (select count(*) from span)::int + (select count(*) from turn)::int as scanned_count,
      (select campaign_id from turn) as campaign_id,
      case
        when cardinality(${unsubscribedTypes}::text[]) = 0
        then array(select subscriber_id from delivered) end as delivered,
      is_subscribed
    from subscribed`)
  if (row?.isSubscribed) throw new WebhookSubscribes()
  const { scannedCount, campaignId, delivered } = row ?? {
    scannedCount: 0,
    campaignId: null,
    delivered: null,
  }
  const targets =
    campaignId === null
      ? []
      : (delivered ?? []).map((subscriberId) => ({ campaignId, subscriberId }))
  return { scannedCount, delivered: targets }
}
