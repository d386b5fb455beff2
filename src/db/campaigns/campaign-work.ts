/**
 * Work on scheduled and sending campaigns: which there are, the state of each, and how a run ends.
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { countsReputation } from '../workspaces/reputation-counts.ts'
import { exceededRateOfR, type ExceededRate } from '../workspaces/suspension-rule.ts'
import { scanOf, type ScannedCampaign } from '../sending/scanned-campaigns.ts'
import type { CampaignKey } from './campaign-key.ts'
import { presentRun } from './campaign-counts.ts'
import { movesToNow, fromNewestEnd } from '../../database/planner/moved-rows.ts'

export interface CampaignAtWork {
  id: string
  status: 'scheduled' | 'sending'
  /** Scheduled, and its time has come. */
  isDue: boolean
  /** It goes to fewer than everybody subscribed: reading its audience may take minutes. */
  isTargeted: boolean
  isPaused: boolean
  isCanceled: boolean
  pending: number
  /** A recipient may be claimed now: the next of the list, or one that is due again. */
  isClaimable: boolean
}

/**
 * Campaigns of a workspace that are scheduled or sending. Those of `sent` have a batch sender
 * already, which looks for their strays itself: whether one of them is claimable is not looked up.
 * The looks at the others begin where their last claims ended.
 */
export function campaignsAtWork(
  db: Database,
  workspaceId: number,
  {
    sent = [],
    scanned = [],
  }: { sent?: readonly string[]; scanned?: readonly ScannedCampaign[] } = {},
): Promise<CampaignAtWork[]> {
  return db.rows<CampaignAtWork>(sql`
    select c.id, c.status, c.status = 'scheduled' and c.scheduled_at <= facteur_now() as is_due,
      c.audience is not null or c.topic_id is not null as is_targeted, c.paused_at is not null as is_paused,
      c.canceled_at is not null as is_canceled, coalesce(p.pending, 0) as pending,
      coalesce(c.id <> all (${sent}::uuid[]) and p.opens_at <= facteur_now()
        and p.canary_left is distinct from 0 and (p.claimed_to < p.last_id or exists (
        select from campaign_recipient r where r.workspace_id = ${workspaceId} and r.campaign_id = c.id
          and r.next_at is not null and r.next_at <= facteur_now()
          and r.next_at > coalesce(l.passed_to, '-infinity') and r.state = 'pending')),
          false) as is_claimable
    from campaign c ${scanOf(scanned)} left join lateral (
      select campaign_run.*
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = c.id
      order by moved_at desc
      limit 1) p
        on true
    where c.workspace_id = ${workspaceId} and c.status = any (array['scheduled', 'sending'])`)
}

/**
 * The numbers that the failure rates of a run are computed from, since a user last resumed the
 * campaign.
 */
export interface CampaignRunRow {
  handOffs: number
  bounces: number
  complaints: number
  /**
   * The rate that is too high, by the workspace's minimum counts. The canary's first recipients
   * have no minimums.
   */
  exceeds: Exclude<ExceededRate, 'gmail_spam_rate'> | null
  /** The causes of its first refusals, with how many named each. Null if none was refused. */
  firstRefusals: Record<string, number> | null
  /** All of the canary's recipients have a final state, and their feedback had time to come. */
  isCanaryDue: boolean
}

/**
 * Null when the campaign is not sending, or is paused. Stores when the canary will be evaluated,
 * once all of its recipients are final.
 */
export function campaignRun(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<CampaignRunRow | null> {
  return db.row<CampaignRunRow>(sql`
    with scheduled as (
      update campaign_run p
      set canary_checked_at = (select facteur_now() + make_interval(secs => c.canary_seconds))
      from campaign c
      where ${presentRun({ workspaceId, campaignId })} and c.workspace_id = ${workspaceId}
        and c.id = ${campaignId}
        and p.canary_left = 0 and p.canary_checked_at is null
        and p.recipients - p.pending >= least(c.canary_size, p.recipients)
    )
    select r.hand_offs, r.bounces, r.complaints, ${exceededRateOfR} as exceeds,
      canary.is_due as is_canary_due,
      (select json_object_agg(label, count) from campaign_tally
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
          and measure = 'first_refused') as first_refusals
    from campaign c
    join campaign_run p on ${presentRun({ workspaceId, campaignId })}
    join workspace w on w.id = ${workspaceId}
    cross join lateral (
      select coalesce(sum(count) filter (where measure = 'bounced'), 0)::int8 as bounces,
        coalesce(sum(count) filter (where measure = 'proven_complaint'), 0)::int8 as complaints
      from campaign_tally
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and measure = any (array['bounced', 'proven_complaint'])
    ) t
    cross join lateral (
      select coalesce(p.canary_left = 0 and p.canary_checked_at <= facteur_now(), false) as is_due
    ) canary
    cross join lateral (
      select p.handed_over - p.checked_hand_offs as hand_offs, t.bounces - p.checked_bounces as bounces,
        t.complaints - p.checked_complaints as complaints,
        case when canary.is_due then 0 else w.reputation_hand_offs_min end as hand_offs_min,
        case when canary.is_due then 0 else w.reputation_bounces_min end as bounces_min,
        case when canary.is_due then 0 else w.reputation_complaints_min end as complaints_min,
        -- Of the workspace, which the caller asks about.
        false as gmail_exceeds
    ) r
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId} and c.status = 'sending'
      and c.paused_at is null and c.canceled_at is null`)
}

/** Marks the start of the hand-off, once. */
export async function markHandOffBegun(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<void> {
  await tx.count(sql`
    update campaign set sent_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and sent_at is null`)
}

/** Ends the canary: its recipients did well, and all others follow. */
export async function passCanary(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<void> {
  await db.count(sql`
    update campaign_run set canary_left = null
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and canary_left = 0`)
}

/**
 * Counts new hand-offs towards the workspace's reputation: one row for all sends, written seldom.
 */
export async function countHandOffs(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<void> {
  await db.count(sql`
    with locked as materialized (
      select handed_over - counted as more from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} for update
    ), counted as (
      update campaign_run p set counted = p.counted + h.more, ${movesToNow}
      from locked h where ${presentRun({ workspaceId, campaignId })} and h.more > 0
      returning h.more
    ),
      ${countsReputation(
        workspaceId,
        fragment`select coalesce(sum(more), 0) as hand_offs, 0 as bounces, 0 as complaints from counted`,
      )}
    )
    select`)
}

/**
 * Completes a campaign without pending or leased recipients; null when it has some, or is complete.
 * Answers the quota to give back, and its month.
 */
export function completeCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<{ unsent: number; month: string } | null> {
  return tx.row<{ unsent: number; month: string }>(sql`
    with locked as materialized (
      select pending, failed + suppressed - given_back as unsent from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} for update
    ), completed as (
      update campaign c
      set status = 'sent', completed_at = date_trunc('milliseconds', facteur_now()), paused_at = null,
        pause_reason = null,
        sent_at = coalesce(c.sent_at, (select date_trunc('milliseconds', facteur_now()))),
          updated_at = date_trunc('milliseconds', facteur_now())
      from locked h
      where c.workspace_id = ${workspaceId} and c.id = ${campaignId} and c.status = 'sending'
        and h.pending = 0
        -- One that is held after a restore ends with the operator's decision.
        and c.pause_reason is distinct from 'restore'
      returning h.unsent, c.quota_month as month
    ), given_back as (
      update campaign_run p set given_back = p.given_back + c.unsent
      from completed c where ${presentRun({ workspaceId, campaignId })}
    )
    select unsent, month::text as month from completed`)
}
