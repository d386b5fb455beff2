/**
 * Holds the arithmetic of a campaign's counters, once for every statement that changes recipients
 * (docs/decisions/0041).
 *
 * Such a statement makes a list `moves`: `was_in`, `is_in`, `recipients`, `handed_over`, one line
 * for each kind of change. A place is a counter of progress (`campaign_place` in
 * migrations/0006_tracking.sql).
 */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { movesToNow, fromNewestEnd } from '../../database/planner/moved-rows.ts'

/**
 * The sums of `moves` as the columns of `n`: one line where `moves` is not grouped, also if it is
 * empty.
 */
export const progressSums = fragment`
          coalesce(sum(recipients) filter (where is_in = 'pending'),
            0) - coalesce(sum(recipients) filter (where was_in = 'pending'), 0) as pending,
          coalesce(sum(recipients) filter (where is_in = 'sent'),
            0) - coalesce(sum(recipients) filter (where was_in = 'sent'), 0) as sent,
          coalesce(sum(recipients) filter (where is_in = 'failed'),
            0) - coalesce(sum(recipients) filter (where was_in = 'failed'), 0) as failed,
          coalesce(sum(recipients) filter (where is_in = 'suppressed'),
            0) - coalesce(sum(recipients) filter (where was_in = 'suppressed'), 0) as suppressed,
          coalesce(sum(recipients) filter (where is_in = 'in_doubt'),
            0) - coalesce(sum(recipients) filter (where was_in = 'in_doubt'), 0) as in_doubt,
          coalesce(sum(handed_over), 0) as handed_over`

/** Adds `n` to progress `p`. */
export const addToProgress = fragment`
        pending = p.pending + n.pending, sent = p.sent + n.sent, failed = p.failed + n.failed,
        suppressed = p.suppressed + n.suppressed, in_doubt = p.in_doubt + n.in_doubt,
          handed_over = p.handed_over + n.handed_over,
        ${movesToNow}`

/**
 * The run of a campaign as row `p`, found from the newest end of its index. It may have been moved
 * on by another statement since.
 */
export const presentRun = ({
  workspaceId,
  campaignId,
}: {
  workspaceId: number
  campaignId: string
}): Fragment => part`p.workspace_id = ${workspaceId} and p.campaign_id = ${campaignId} and p.moved_at >= (
          select moved_at
          from campaign_run ${fromNewestEnd}
          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
          order by moved_at desc
          limit 1)`

/** The run `present` of each line of `n`; null lines have none. */
export const presentRunOfN = (workspaceId: number): Fragment => part`cross join lateral (
        select moved_at
        from campaign_run ${fromNewestEnd}
        where workspace_id = ${workspaceId} and campaign_id = n.campaign_id
        order by moved_at desc
        limit 1) present`

/** Adds inserted counts to the counters of statistics. */
export const addToTally = fragment`
  on conflict (workspace_id, campaign_id, measure, label)
    do update set count = campaign_tally.count + excluded.count`

/**
 * How the delivery of a recipient is known, from its status and `delivered_by`: `assumed` where no
 * bounce came, `engaged` by an open or a click, `reported` by feedback. Null if it is not
 * delivered.
 */
export const deliverySource = (status: Fragment, by: Fragment): Fragment =>
  fragment`
    case when ${status} not in ('delivered', 'complained') then null when ${by} = 'silence' then 'assumed'
            when ${by} in ('open', 'click') then 'engaged' else 'reported' end`

/**
 * Whether a campaign of `m` counts the sources of its deliveries: those whose list an older version
 * froze do not, until they are counted again.
 */
export const countsSources = fragment`exists (
        select
        from campaign_tally k
        where k.workspace_id = m.workspace_id and k.campaign_id = m.campaign_id and k.measure = 'assumed')`

/**
 * The steps that a status change adds to the counters of statistics: lines of `campaign_id`,
 * `measure`, `label`, `step`, from a list `changed` with `workspace_id`, `campaign_id`,
 * `subscriber_id`, `known` and `status`, and `known_source` and `source` (`deliverySource`). A
 * complaint proves a delivery. Opens and clicks count only while their recipient has not bounced
 * (docs/decisions/0010).
 */
export const statusSteps = fragment`
      select m.campaign_id, t.measure, '' as label, t.step from changed m cross join lateral (values
        ('delivered',
          (m.status in ('delivered', 'complained'))::int - (m.known in ('delivered', 'complained'))::int),
        ('bounced', (m.status = 'bounced')::int - (m.known = 'bounced')::int),
        ('complained', (m.status = 'complained')::int - (m.known = 'complained')::int)) t (measure, step)
      union all
      select m.campaign_id, t.measure, '' as label,
        (m.source is not distinct from t.measure)::int - (m.known_source is not distinct from t.measure)::int
      from changed m cross join (values ('assumed'), ('engaged')) t (measure)
      where m.source is distinct from m.known_source and ${countsSources}
      union all
      select b.campaign_id, v.measure, v.label, (b.known = 'bounced')::int - (b.status = 'bounced')::int
      -- A queued recipient has no counted engagement.
      from (select * from changed where (known = 'bounced') <> (status = 'bounced') and known <> 'queued') b
      cross join lateral (select measure, label from campaign_engagement_count
        where workspace_id = b.workspace_id and campaign_id = b.campaign_id
          and subscriber_id = b.subscriber_id) v`
