/**
 * Changes the status of a campaign's recipients by feedback, with the counters of its statistics
 * (semantics 3).
 */
import { fragment, rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import {
  addToProgress,
  addToTally,
  deliverySource,
  presentRunOfN,
  progressSums,
  statusSteps,
} from '../campaigns/campaign-counts.ts'
import { applyUpdate, type LockedTarget, type StatusUpdate } from './feedback.ts'

export interface CampaignTarget {
  campaignId: string
  subscriberId: string
}

/**
 * Locks the recipients that exist, in the order of all status changes: progress first, then rows in
 * their order. Each target once.
 */
export async function lockCampaignRecipients(
  tx: Database,
  workspaceId: number,
  targets: CampaignTarget[],
): Promise<(LockedTarget & CampaignTarget)[]> {
  await tx.count(sql`
    select 1
    from (select distinct id from unnest(${targets.map((t) => t.campaignId)}::uuid[]) as t (id) order by id) t
    cross join lateral (
      select 1
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = t.id
      order by moved_at desc
      limit 1
      for update) p`)
  return tx.rows<LockedTarget & CampaignTarget>(sql`
    select t.campaign_id, t.subscriber_id, r.email, r.status, r.state, r.attempts,
      case when r.delivered_by = 'silence' and r.opened_at is not null then 'open'
        else r.delivered_by end as delivered_by,
        r.bounce, r.sent_at, h.at as handed_over_at,
      extract(epoch from facteur_now() - h.at)::float8 as age_seconds
    from (
      select * from ${rowList(targets, 't', { uuid: ['campaignId', 'subscriberId'] })}
      order by campaign_id, subscriber_id
    ) t
    cross join lateral (
      select * from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = t.campaign_id and subscriber_id = t.subscriber_id
      for update) r
    cross join lateral (
      select coalesce(r.sent_at, r.leased_until, sent_at, frozen_at, created_at) as at from campaign
      where workspace_id = ${workspaceId} and id = t.campaign_id) h`)
}

/**
 * Counts complaints, a campaign's identifier for each, by which the campaign may pause
 * (db/campaigns/campaign-work.ts).
 */
export async function countProvenComplaints(
  tx: Database,
  workspaceId: number,
  campaignIds: string[],
): Promise<void> {
  await tx.count(sql`
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select ${workspaceId}::bigint, id, 'proven_complaint', '', count(*)
    from unnest(${campaignIds}::uuid[]) as c (id)
    group by id
    order by id
    ${addToTally}`)
}

export interface CampaignMove extends StatusUpdate, CampaignTarget {
  /** The status in its row. */
  known: string
  /** Whether no outcome has counted its hand-off, or will. */
  countsHandOff: boolean
}

/**
 * Updates recipients whose progress this transaction holds, with progress and tallies. Proof of an
 * outcome ends every doubt; a holder that still waits finalizes its row itself. Opens and clicks
 * count only while their recipient has not bounced, so that no more contacts opened than were
 * reached (docs/decisions/0010).
 */
export async function updateCampaignRecipientStatuses(
  tx: Database,
  workspaceId: number,
  moves: CampaignMove[],
): Promise<void> {
  await tx.count(sql`
    with updates as materialized (
      select m.*, campaign_place(r.state, r.status, r.sent_at) as was_in,
        ${deliverySource(fragment`r.status`, fragment`r.delivered_by`)} as known_source
      from ${rowList(moves, 'm', {
        uuid: ['campaignId', 'subscriberId'],
        text: ['known', 'status', 'error', 'bounce'],
        boolean: ['delivers', 'countsHandOff'],
        timestamptz: ['at'],
      })}
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = m.campaign_id
        and r.subscriber_id = m.subscriber_id
    ), changed as (
      update campaign_recipient r set ${applyUpdate},
        opened_at = case when m.status = 'bounced' then null when m.known = 'bounced' then e.opened_at
          else r.opened_at end,
        clicked_at = case when m.status = 'bounced' then null when m.known = 'bounced' then e.clicked_at
          else r.clicked_at end,
        next_at = case when r.state = 'leased' then r.next_at end
      from (select facteur_now() as at) now cross join updates m
      left join lateral (
        select min(at) as opened_at, min(at) filter (where kind = 'click') as clicked_at from engagement
        where workspace_id = ${workspaceId} and campaign_id = m.campaign_id
          and subscriber_id = m.subscriber_id and visitor <> 'scanner'
      ) e on m.known = 'bounced'
      where r.workspace_id = ${workspaceId} and r.campaign_id = m.campaign_id
        and r.subscriber_id = m.subscriber_id
      returning r.workspace_id, m.campaign_id, m.subscriber_id, m.known, r.status, m.known_source,
        ${deliverySource(fragment`r.status`, fragment`r.delivered_by`)} as source, m.counts_hand_off,
        m.was_in, campaign_place(r.state, r.status, r.sent_at) as is_in
    ), moves as (
      select campaign_id, was_in, is_in, 1 as recipients, counts_hand_off::int as handed_over
      from changed where was_in <> is_in or counts_hand_off
    ), progressed as (
      update campaign_run p set ${addToProgress}
      from (select campaign_id, ${progressSums}
        from moves
        group by campaign_id) n ${presentRunOfN(workspaceId)}
      where p.workspace_id = ${workspaceId} and p.campaign_id = n.campaign_id
        and p.moved_at >= present.moved_at
    ), steps as (${statusSteps}
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}::bigint, campaign_id, measure, label, sum(step) from steps
      group by campaign_id, measure, label having sum(step) <> 0 order by campaign_id, measure, label
      ${addToTally}
    )
    select 1`)
}
