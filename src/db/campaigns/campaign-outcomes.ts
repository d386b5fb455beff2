/**
 * Records outcomes of a campaign's hand-offs that did not simply succeed, or left a copy in the
 * capture mailbox; many in one statement.
 */
import { fragment } from '../../database/client/fragment.ts'
import { rowsUnlessSubscribed, subscriptionCheck } from '../webhooks/subscription-check.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { countsReputation } from '../workspaces/reputation-counts.ts'
import type { CampaignKey } from './campaign-key.ts'
import type { LeasedSubscriber } from './campaign-leases.ts'
import {
  addToProgress,
  addToTally,
  deliverySource,
  presentRun,
  progressSums,
  statusSteps,
} from './campaign-counts.ts'
import type { AttemptOutcome, VerdictRules } from '../sending/attempt-outcome.ts'
import {
  countsHandOffJ,
  firstBounces,
  nextTryAtOfJ,
  applyVerdictJToR,
  verdictsOfEnded,
  outcomeShape,
} from '../sending/verdicts.ts'
import type { BounceClass } from '../../contract/emails.ts'
import type { RecipientStatus } from '../../contract/workspace/messages.ts'

export interface CampaignOutcome extends LeasedSubscriber, AttemptOutcome {}

export interface ChangedRecipient {
  subscriberId: string
  email: string
  was: RecipientStatus
  status: RecipientStatus
  bounce: BounceClass | null
  error: string | null
  at: Date
  event: AttemptOutcome['event']
  /** The provider's last response. */
  response: string | null
  attempts: number
}

const outcomeList = outcomeShape<CampaignOutcome>({ uuid: ['subscriberId'] })

/**
 * Writes the outcomes: ledger, counters, captured copies and tallies, all or nothing. A row changes
 * only for the holder whose fence it still has. Answers the rows whose status changed, and those
 * that are tried again. The caller applies what follows a bounce, suppression too
 * (core/sending/apply-status-changes.ts).
 */
export function recordCampaignOutcomes(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  outcomes: CampaignOutcome[],
  rules: VerdictRules,
): Promise<ChangedRecipient[]> {
  const sorted = outcomes.toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1))
  const { list, copies } = outcomeList(sorted)
  // 1. subscribed: whether a webhook asks for what is not published here. Then nothing is written.
  // 2. run: the campaign's run, locked before its recipients, and when their tries end.
  // 3. ended: the outcomes whose holder still has the lease.
  // 4. verdicts: each of them is settled, tried again, or in doubt.
  // 5. changed: the ledger.
  // 6. moves, moved: the sums of the run.
  // 7. copies, deferrals: the captured mail, and the line of an attempt that is made again.
  // 8. steps, tallied: the counters of the campaign.
  // 9. first_bounces, then reputation: the outcomes that the workspace's reputation counts.
  // 10. again, feedback_lane: when the workspace's next row is due in these lanes.
  return rowsUnlessSubscribed<ChangedRecipient>(
    db,
    'subscriberId',
    sql`
    with ${subscriptionCheck(workspaceId, rules.unsubscribedTypes ?? [])}, run as materialized (
      select date_trunc('milliseconds', facteur_now()) as at,
        -- Days on which a warm-up left nothing to a campaign do not count in its queue's life.
        greatest(warmed_at, (select coalesce(reopened_at, held_until, frozen_at) from campaign
          where workspace_id = ${workspaceId}
            and id = ${campaignId})) + make_interval(secs => ${rules.queueLifeSeconds}) as life_ends
      from campaign_run p
      where ${presentRun({ workspaceId, campaignId })} and not (select is_subscribed from subscribed)
      for update
    ), ended as materialized (
      select o.*, r.status as known, r.delivered_by as known_by, r.attempts,
        r.troubles + (o.event = 'threw')::int as troubled, run.at, run.life_ends,
        ${rules.retryFirstSeconds}::float8 as retry_first, ${rules.retryMaxSeconds}::float8 as retry_max,
        false as repeats
      from run
      cross join ${list}
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = o.subscriber_id
      where r.fence = o.fence and r.state = 'leased'
    ), ${verdictsOfEnded}, changed as (
      update campaign_recipient r set ${applyVerdictJToR}, next_at = ${nextTryAtOfJ},
        -- Engagement of a bounced recipient does not count (db/feedback/campaign-feedback.ts).
        opened_at = case when j.becomes = 'bounced' then null else r.opened_at end,
        clicked_at = case when j.becomes = 'bounced' then null else r.clicked_at end
      from verdicts j
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = j.subscriber_id
        and r.fence = j.fence and r.state = 'leased'
      returning r.workspace_id, r.campaign_id, r.subscriber_id, r.email, r.status, r.bounce, r.error, r.state,
        r.next_at, r.attempts, r.response, campaign_place(r.state, r.status, r.sent_at) as is_in,
        ${deliverySource(fragment`j.known`, fragment`j.known_by`)} as known_source,
        ${deliverySource(fragment`r.status`, fragment`r.delivered_by`)} as source,
        ${countsHandOffJ} as handed_over, j.known, j.becomes, j.event, j.at, j.copy_id, j.raw_start,
        j.raw_length, j.return_path, j.copy_pending
    ), moves as (
      select 'pending' as was_in, is_in, count(*)::int as recipients,
        (count(*) filter (where handed_over))::int as handed_over
      from changed group by is_in
    ), moved as (
      update campaign_run p set ${addToProgress}
      from (select ${progressSums} from moves) n
      where ${presentRun({ workspaceId, campaignId })} and not (select is_subscribed from subscribed)
    ), copies as (
      insert into captured_mail (workspace_id, id, position, campaign_id, subscriber_id, return_path,
        recipient, raw, captured_at, feedback_kind, feedback_at)
      select ${workspaceId}, copy_id, 0, ${campaignId}::uuid, subscriber_id, return_path, email,
        substring(${copies}::bytea from raw_start for raw_length), at, copy_pending,
        at + make_interval(secs => ${rules.pendingSeconds})
      from changed where copy_id is not null
    ), deferrals as (
      insert into deferral (workspace_id, mail_id, part, attempt, at, response)
      select ${workspaceId}, ${campaignId}::uuid, subscriber_id::text, attempts, at, response
      from changed
      where event in ('deferred', 'in_doubt')
      on conflict do nothing
    ), steps as (${statusSteps}
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, campaign_id, measure, label, sum(step) from steps
      group by campaign_id, measure, label having sum(step) <> 0 order by campaign_id, measure, label
      ${addToTally}
    ), first_bounces as (${firstBounces(workspaceId, sorted, fragment`changed`)}
    ),
      ${countsReputation(
        workspaceId,
        fragment`select 0 as hand_offs, count(*) as bounces, 0 as complaints from first_bounces`,
      )}
    ), again as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'campaign', min(next_at) from changed where state = 'pending' having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    ), feedback_lane as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'feedback', min(at) + make_interval(secs => ${rules.pendingSeconds})
      from changed where copy_id is not null having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    select subscriber_id, email, known as was, status, bounce, error, at, event, response, attempts,
      is_subscribed
    from subscribed left join changed on status <> known or event = 'deferred'`,
  )
}
