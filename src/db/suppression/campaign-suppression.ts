/**
 * Suppresses an address in running campaigns: its unclaimed recipients are finalized before the
 * call answers (semantics 2).
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { suppressedText } from '../sending/failure-causes.ts'
import { addToProgress, presentRunOfN, progressSums } from '../campaigns/campaign-counts.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'

/**
 * Reads the workspace's unfinished campaigns by their keys: the frozen lists have no index by
 * address. Answers how many recipients were finalized.
 */
export function stopPendingInCampaigns(
  db: Database,
  workspaceId: number,
  email: string,
  reason: SuppressionReason,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with contact as materialized (
      select id from subscriber where workspace_id = ${workspaceId} and email = ${email}
    ), waiting as materialized (
      select c.id from contact s
      cross join (select id from campaign where workspace_id = ${workspaceId} and status = 'sending') c
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = c.id
        and r.subscriber_id = s.id
      where r.state = 'pending'
    ), locked as materialized (
      -- Waits for the claim that may hold them now.
      select p.campaign_id from (select id from waiting order by id) w
      cross join lateral (
        select campaign_id
        from campaign_run ${fromNewestEnd}
        where workspace_id = ${workspaceId} and campaign_id = w.id
        order by moved_at desc
        limit 1
        for update) p
    ), settled as (
      update campaign_recipient r
      set state = 'settled', status = 'suppressed', error = '${suppressedText}' || ${reason}::text,
        cause = 'suppressed', next_at = null, fence = r.fence + 1
      from locked h cross join contact s
      where r.workspace_id = ${workspaceId} and r.campaign_id = h.campaign_id and r.subscriber_id = s.id
        and r.state = 'pending'
      returning r.campaign_id
    ), moves as (
      select campaign_id, 'pending' as was_in, 'suppressed' as is_in, 1 as recipients, 0 as handed_over
      from settled
    ), moved as (
      update campaign_run p set ${addToProgress}
      from (select campaign_id, ${progressSums}
        from moves
        group by campaign_id) n ${presentRunOfN(workspaceId)}
      where p.workspace_id = ${workspaceId} and p.campaign_id = n.campaign_id
        and p.moved_at >= present.moved_at
    )
    select count(*)::int as settled from settled`)
}
