/**
 * Pauses, resumes, cancels and reopens a campaign. Each change locks its progress first, so every
 * later claim sees it.
 */
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignKey } from './campaign-key.ts'
import { addToProgress, addToTally, progressSums } from './campaign-counts.ts'

/** Why a campaign is paused: by a user, or automatically. */
export type PauseReason =
  | 'person'
  | 'bounce_rate'
  | 'complaint_rate'
  | 'reputation'
  | 'canary'
  | 'refusals'
  | 'restore'

/**
 * Pauses the claims of a campaign until it is resumed. False if it is not sending, or is paused
 * already.
 */
export function pauseBatches(
  db: Database,
  campaign: CampaignKey,
  reason: PauseReason,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    with ${lockedAndChanged(campaign, {
      set: part`paused_at = date_trunc('milliseconds', facteur_now()), pause_reason = ${reason}`,
      where: fragment`paused_at is null and canceled_at is null`,
    })}, ${stopped(campaign)}
    select exists (select from changed)`)
}

/**
 * Resumes a paused campaign, and evaluates its failure rates and its next refusals from here on,
 * since a user saw the previous ones. False if it is not paused, or only the operator releases it,
 * after a restore.
 */
export function resumeBatches(db: Database, campaign: CampaignKey): Promise<boolean> {
  const { workspaceId, campaignId } = campaign
  return db.onlyValue<boolean>(sql`
    with ${lockedAndChanged(campaign, {
      set: fragment`paused_at = null, pause_reason = null`,
      where: fragment`paused_at is not null and pause_reason is distinct from 'restore'`,
    })},
      opened as (
      update campaign_run p
      set opens_at = greatest(facteur_now(), c.held_until), checked_hand_offs = p.handed_over,
        canary_left = case when p.canary_left = 0 then null else p.canary_left end,
        checked_bounces = (select coalesce(sum(count), 0) from campaign_tally
                          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
                            and measure = 'bounced'),
        checked_complaints = (select coalesce(sum(count), 0) from campaign_tally
                             where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
                               and measure = 'proven_complaint')
      from changed c where p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId}
    ), forgotten as (
      delete from campaign_tally
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and measure = 'first_refused'
        and exists (select from changed)
    ), ${hint(campaign)}
    select exists (select from changed)`)
}

/**
 * Cancels the rest of a campaign: no recipient is claimed from now on. False if it is not sending,
 * or was cancelled before.
 */
export function cancelBatches(db: Database, campaign: CampaignKey): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    with ${lockedAndChanged(campaign, {
      set: fragment`
        canceled_at = date_trunc('milliseconds', facteur_now()), paused_at = null, pause_reason = null`,
      where: fragment`canceled_at is null`,
    })}, ${stopped(campaign)}, ${hint(campaign)}
    select exists (select from changed)`)
}

/** Changes a sending campaign under the lock of its progress. */
const lockedAndChanged = (
  { workspaceId, campaignId }: CampaignKey,
  { set, where }: { set: Fragment; where: Fragment },
) => part`
    locked as materialized (
      select 1
      from campaign_run
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      for update
    ), changed as (
      update campaign set ${set}, updated_at = date_trunc('milliseconds', facteur_now())
      from locked
      where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'sending' and ${where}
      returning held_until
    )`

const stopped = ({ workspaceId, campaignId }: CampaignKey) => part`stopped as (
      update campaign_run set opens_at = 'infinity'
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and exists (select from changed)
    )`

const hint = ({ workspaceId }: CampaignKey) => part`hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', facteur_now()
      from changed
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )`

/**
 * Finalizes up to `max` of a cancelled campaign's rest as failed; answers how many were read, 0 at
 * the end.
 */
export function finalizeCancelled(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with locked as materialized (
      select claimed_to
      from campaign_run
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      for update
    ), rest as materialized (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and subscriber_id > (select claimed_to from locked)
      order by subscriber_id limit ${max}
    ), strays as materialized (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and next_at is not null
        and state = 'pending'
      order by next_at limit ${max}
    ), settled as (
      update campaign_recipient r
      set state = 'settled', status = 'failed', error = 'cancelled', cause = 'cancelled', next_at = null,
        fence = r.fence + 1
      from locked cross join (select subscriber_id from rest union select subscriber_id from strays) u
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = u.subscriber_id
        and r.state = 'pending'
      returning 1
    ), moves as (
      select 'pending' as was_in, 'failed' as is_in, count(*)::int as recipients, 0 as handed_over
      from settled
    ), moved as (
      update campaign_run p set ${addToProgress},
        claimed_to = coalesce((select subscriber_id from rest order by subscriber_id desc limit 1),
          p.claimed_to)
      from (select ${progressSums} from moves) n
      where p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId}
    ), tallied as (
      -- Progress counts them as failed; this count lets readers of the campaign distinguish them.
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, ${campaignId}, 'cancelled', '', count(*) from settled having count(*) > 0
      ${addToTally}
    )
    select ((select count(*) from rest) + (select count(*) from strays))::int as scanned_count`)
}

/**
 * Recipients that may be sent again: those that failed and were not cancelled, or those in doubt.
 */
export type Reopening = 'failed' | 'in_doubt'

/**
 * Sends up to `max` such recipients behind `after` again; answers how many, and the last one that
 * was read (null at the end). The caller reserves the quota of the failed ones, in the same
 * transaction.
 */
export function reopenPage(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  { which, after, max }: { which: Reopening; after: string; max: number },
): Promise<{ reopened: number; scannedTo: string | null }> {
  return tx.onlyRow<{ reopened: number; scannedTo: string | null }>(sql`
    with locked as materialized (
      select facteur_now() as now
      from campaign_run
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      for update
    ), span as materialized (
      select subscriber_id, state, status, cause, sent_at from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
      order by subscriber_id limit ${max}
    ), reopened as (
      update campaign_recipient r
      set state = 'pending', status = 'queued', error = null, cause = null, bounce = null, next_at = h.now,
        troubles = 0, losses = 0, fence = r.fence + 1,
        -- Pauses are short again. Feedback on a copy that may have left still counts, as for every
        -- begun recipient.
        attempts = 1
      from locked h cross join span s
      where case when ${which} = 'in_doubt' then s.state = 'in_doubt'
                 else s.state = 'settled' and s.status = 'failed' and s.sent_at is null
                 and s.cause is distinct from 'cancelled' end
        and r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = s.subscriber_id
        and r.state = s.state and r.status = s.status
      returning 1
    ), moves as (
      select ${which}::text as was_in, 'pending' as is_in, count(*)::int as recipients, 0 as handed_over
      from reopened
    ), moved as (
      -- Recipients in doubt still hold their quota.
      update campaign_run p set ${addToProgress}, given_back = p.given_back + n.failed
      from (select ${progressSums} from moves) n
      where p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId} and n.pending > 0
    )
    select (select count(*) from reopened)::int as reopened,
      case
        when (select count(*) from span) = ${max}
        then (select subscriber_id from span order by subscriber_id desc limit 1) end as scanned_to`)
}

/**
 * Starts a campaign again whose recipients were reopened. False if it is neither sending nor sent,
 * or is being cancelled.
 */
export function reopenCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  quotaMonth: string | null,
): Promise<boolean> {
  return tx.onlyValue<boolean>(sql`
    with changed as (
      update campaign set status = 'sending', completed_at = null, canceled_at = null,
        reopened_at = at.now, updated_at = at.now, quota_month = coalesce(${quotaMonth}::date, quota_month),
        -- The table refuses a process that compares no approval.
        reopening_checked_at = at.now
      from (select date_trunc('milliseconds', facteur_now()) as now) at
      where workspace_id = ${workspaceId} and id = ${campaignId}
        and (status = 'sent' or status = 'sending' and canceled_at is null)
      returning paused_at
    ), opened as (
      update campaign_run p set opens_at = least(p.opens_at, facteur_now())
      from changed c
      where p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId} and c.paused_at is null
    ), ${hint({ workspaceId, campaignId })}
    select exists (select from changed)`)
}

/**
 * Undoes the freeze of a campaign without a hand-off, within its undo window: it is a draft again,
 * and its list is deleted. Answers the quota to give back; null when it is too late.
 */
export async function undoFreeze(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<{ recipients: number; month: string } | null> {
  const [row] = await tx.rows<{ recipients: number }>(sql`
    with locked as materialized (
      select claimed_to, recipients, given_back from campaign_run
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} for update
    )
    update campaign c
    set status = 'draft', held_until = null, frozen_at = null, paused_at = null, pause_reason = null,
      compiled = null, frozen_audience = null, topic_name = null, topic_left = null,
      except_left = null, updated_at = date_trunc('milliseconds', facteur_now())
    from locked h
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId} and c.status = 'sending'
      and c.sent_at is null
      and c.held_until > facteur_now() and h.claimed_to = '00000000-0000-0000-0000-000000000000'
    returning h.recipients - h.given_back as recipients`)
  if (!row) return null
  // A statement of its own: Citus takes no cast of a date behind RETURNING.
  const month = await tx.onlyValue<string>(sql`
    select quota_month::text as month
    from campaign
    where workspace_id = ${workspaceId} and id = ${campaignId}`)
  const long = await allowSweeps(tx, undoTimeoutMs)
  await tx.count(
    long(
      sql`delete from campaign_recipient where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`,
    ),
  )
  await tx.count(
    sql`delete from campaign_link where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`,
  )
  await tx.count(
    sql`delete from campaign_run where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`,
  )
  return { ...row, month }
}

/** A million rows are deleted in seconds, and nothing waits for them. */
const undoTimeoutMs = 600_000
