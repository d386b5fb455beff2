/**
 * Finds clicks on many links of a mail within seconds of its hand-off: a scanner that looks like a
 * browser, detected afterwards.
 */
import { addToTally } from '../campaigns/campaign-counts.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'

export interface BurstRules {
  /** Seconds since the hand-off. */
  seconds: number
  /** Number of different links. */
  links: number
}

/** No human follows this many links of a mail this soon after its hand-off. */
export const burstRules: BurstRules = { seconds: 10, links: 4 }

/**
 * Takes back the counts of a recipient's first seconds when a scanner caused them: its engagement
 * is classified again, its row and the tallies follow. Answers whether it was so. The delivery
 * stays proven: the state of a row only moves forward.
 */
export function disownBurst(
  db: Connection,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
  rules: BurstRules,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.rows(sql`
      select 1 from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}
      for update`)
    const [burst] = await tx.rows<{ ends: string }>(sql`
      select (r.sent_at + make_interval(secs => ${rules.seconds}))::text as ends
      from campaign_recipient r
      join engagement v on v.workspace_id = ${workspaceId} and v.campaign_id = r.campaign_id
        and v.subscriber_id = r.subscriber_id
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = ${subscriberId}
        and v.kind = 'click' and v.at <= r.sent_at + make_interval(secs => ${rules.seconds})
      group by r.sent_at having count(distinct v.link_position) >= ${rules.links}`)
    if (!burst) return false
    const subject = { workspaceId, campaignId, subscriberId }
    await tallyRecipient(tx, subject, -1)
    await tx.count(sql`
      update engagement set visitor = 'scanner'
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}
        and visitor <> 'scanner' and at <= ${burst.ends}::timestamptz`)
    await tallyRecipient(tx, subject, 1)
    await tx.count(sql`
      update campaign_recipient r set opened_at = v.opened_at, clicked_at = v.clicked_at
      from (
        select min(at) as opened_at, min(at) filter (where kind = 'click') as clicked_at from engagement
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
          and subscriber_id = ${subscriberId} and visitor <> 'scanner'
      ) v
      where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
        and r.subscriber_id = ${subscriberId}
        and r.status <> 'bounced'`)
    return true
  })
}

/** Adds the counts of one recipient's engagement, or (-1) subtracts them. */
async function tallyRecipient(
  tx: Database,
  {
    workspaceId,
    campaignId,
    subscriberId,
  }: { workspaceId: number; campaignId: string; subscriberId: string },
  times: 1 | -1,
): Promise<void> {
  await tx.count(sql`
    with counted as materialized (
      select measure, label, ${times}::int * count(*) as count from campaign_engagement_count
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}
        and exists (select
          from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
          and subscriber_id = ${subscriberId} and status <> 'bounced')
      group by measure, label
    )
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select ${workspaceId}::bigint, ${campaignId}::uuid, measure, label, count
    from counted
    order by measure, label
    ${addToTally}`)
}
