/**
 * Leases on a campaign's frozen list: their renewal, and what becomes of the recipients of lost
 * holders (docs/decisions/0008).
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import { applyVerdictJToR, lostWorker, nextTryAtOfJ, verdictsOfEnded } from '../sending/verdicts.ts'
import { addToProgress, presentRun, progressSums } from './campaign-counts.ts'
import type { CampaignKey } from './campaign-key.ts'

/** A recipient as its holder identifies it. */
export interface LeasedSubscriber {
  subscriberId: string
  fence: number
}

/** Renews the leases that this holder still has; answers those. */
export function renewCampaignLeases(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  leases: LeasedSubscriber[],
  leaseSeconds: number,
): Promise<LeasedSubscriber[]> {
  return db.rows<LeasedSubscriber>(sql`
    update campaign_recipient r set leased_until = facteur_now() + make_interval(secs => ${leaseSeconds}),
      next_at = case
        when r.next_at is not null then (select facteur_now() + make_interval(secs => ${leaseSeconds})) end
    from ${rowList(leases, 'h', { uuid: ['subscriberId'], int: ['fence'] })}
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
      and r.subscriber_id = h.subscriber_id
      and r.fence = h.fence and r.state = 'leased'
    returning r.subscriber_id, r.fence`)
}

/**
 * Ends expired leases of lost holders. A recipient that its batch sender does not name as at the
 * dot goes again, since nothing has left; from the second such loss on each counts as trouble. All
 * others may have the mail: they are in doubt until a user releases them, or feedback comes. At the
 * third trouble a recipient is parked as failed. Reads `max` rows of the list from the low water
 * on, and all strays. `more`: none of them is held, and the list goes on behind them. `lost`:
 * recipients that do not go again. `failed`: parked recipients, whose `email.failed` the caller
 * publishes in the same transaction. The look for strays begins behind `from` (at the first if it
 * is null), the next one at `passedTo`.
 */
export function releaseLostRecipients(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
  from: Date | null = null,
): Promise<{ lost: number; more: boolean; failed: string[]; passedTo: Date | null }> {
  // 1. at, window_rows: the next part of the list from the low water on.
  // 2. late: expired leases of that part, and all strays.
  // 3. run: the campaign's run, locked before its recipients.
  // 4. abandoned: the late recipients that are still leased, locked in the order of the list.
  // 5. senders: their batch senders are closed, and name who was at the dot.
  // 6. looked_at, ended, verdicts, settled: each recipient goes again, is in doubt, or is parked.
  // 7. moves, moved: the sums of the run, and its low water.
  // 8. again: the campaign is due at once where a recipient goes again.
  return db.onlyRow<{ lost: number; more: boolean; failed: string[]; passedTo: Date | null }>(sql`
    with at as materialized (
      select low_water, claimed_to, facteur_now() as now
      from campaign_run p
      where ${presentRun({ workspaceId, campaignId })}
    ), window_rows as materialized (
      select subscriber_id, state, leased_until from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id > (select low_water from at) and subscriber_id <= (select claimed_to from at)
      order by subscriber_id limit ${max}
    ), late as materialized (
      select subscriber_id from window_rows where state = 'leased' and leased_until <= (select now from at)
      union
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null
        and next_at <= (select now from at)
        and next_at > coalesce(${from}::timestamptz, '-infinity') and state = 'leased'
    ), run as materialized (
      select facteur_now() as now from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} and exists (select from late) for update
    ), abandoned as materialized (
      -- Locked within a select of its own: Citus reads a list wrongly that it has with the locked rows.
      select * from (
        select r.subscriber_id, r.fence, r.batch_sender_id, r.batch_sender_fence, r.status, r.troubles,
          r.losses, run.now
        from run
        cross join (select subscriber_id from late order by subscriber_id) l
        join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
          and r.subscriber_id = l.subscriber_id
        where r.state = 'leased' and r.leased_until <= run.now
        for update of r) locked
    ), senders as (
      -- Their holder may wake up: the first to lock this row decides whether it passes further dots.
      update batch_sender set is_closed = true
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and id = any (array(select batch_sender_id from abandoned where batch_sender_fence = fence))
      returning id, at_dot
    ), looked_at as materialized (
      -- A first lost claim is a restarted machine; a recipient whose claim is lost again may end its
      -- worker. The fence counts neither: claims that ended well raise it too.
      select a.*, case when u.is_unsent then 'unsent' else 'lost' end as event,
        a.troubles + case when u.is_unsent and a.losses = 0 then 0 else 1 end as troubled
      from abandoned a cross join lateral (
        select a.batch_sender_fence is not distinct from a.fence
          and exists (select from senders w
            where w.id = a.batch_sender_id and a.subscriber_id <> all (w.at_dot)) as is_unsent) u
    ), ended as materialized (
      -- The verdict sets no later try: no life, no pauses.
      select subscriber_id, event, ${lostWorker}, status as known, troubled, now as at,
        null::timestamptz as life_ends,
        null::float8 as retry_first, null::float8 as retry_max, false as repeats
      from looked_at
    ), ${verdictsOfEnded}, settled as (
      update campaign_recipient r
      set fence = r.fence + 1, losses = r.losses + (j.event = 'unsent')::int, ${applyVerdictJToR},
        next_at = ${nextTryAtOfJ}
      from verdicts j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = j.subscriber_id
      returning r.subscriber_id, r.state, campaign_place(r.state, r.status, r.sent_at) as is_in
    ), moves as (
      select 'pending' as was_in, is_in, count(*)::int as recipients, 0 as handed_over
      from settled
      group by is_in
    ), moved as (
      update campaign_run p set ${addToProgress},
        low_water = greatest(p.low_water, coalesce(
          -- Up to the row before the first leased one; the search skips rows in doubt from now on.
          (select subscriber_id from window_rows where subscriber_id < coalesce(
            (select subscriber_id
              from window_rows
              where state = 'leased' and subscriber_id not in (select subscriber_id from settled)
             order by subscriber_id limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by subscriber_id desc limit 1), p.low_water))
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and (n.pending < 0 or exists (select from window_rows))
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', run.now
      from run
      where exists (select from settled where state = 'pending')
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select (select count(*) from settled where is_in <> 'pending')::int as lost,
      (select count(*) from window_rows) = ${max} and not exists (
        select 1
        from window_rows
        where state = 'leased' and subscriber_id not in (select subscriber_id from settled)) as more,
      array(select subscriber_id from settled where is_in = 'failed') as failed,
      (select now from at) - ${lateSeconds} * interval '1 second' as passed_to`)
}
