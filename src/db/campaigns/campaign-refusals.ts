/**
 * Refusals of a campaign's recipients by their cause, in the counters of its statistics; and its
 * first hundred.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { addToTally } from './campaign-counts.ts'
import type { CampaignKey } from './campaign-key.ts'

/** How many of a run's first refusals are compared. */
export const firstRefusalsMax = 100

/** Stands in the counters for a refusal that names no cause. */
export const unnamedCause = 'other'

/**
 * Counts refusals in their order: all that name a cause, and those that `first` lists until the run
 * has its hundred. The caller holds the run, so that the hundred are the first.
 */
export async function countCampaignRefusals(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  { named, first }: { named: string[]; first: string[] },
): Promise<void> {
  await tx.count(sql`
    with before as materialized (
      select coalesce(sum(count), 0) as refusals from campaign_tally
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and measure = 'first_refused'
    ), steps as (
      select 'refused' as measure, label, count(*) as step
      from unnest(${named}::text[]) as n (label)
      group by label
      union all
      select 'first_refused', label, count(*)
      from unnest(${first}::text[]) with ordinality as f (label, place)
      where place <= ${firstRefusalsMax} - (select refusals from before) group by label
    )
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select ${workspaceId}::bigint, ${campaignId}::uuid, measure, label, step
    from steps
    order by measure, label
    ${addToTally}`)
}

export interface CauseCount {
  cause: string
  count: number
}

/**
 * All causes that the campaign's refusals named, the most frequent first; and the causes of the
 * first hundred since it began or was resumed.
 */
export async function campaignRefusals(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<{ refused: CauseCount[]; first: CauseCount[] }> {
  const rows = await db.rows<CauseCount & { measure: string }>(sql`
    select measure, label as cause, count from campaign_tally
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      and measure = any (array['refused', 'first_refused'])
    order by count desc, label`)
  const of = (measure: string): CauseCount[] =>
    rows.filter((row) => row.measure === measure).map(({ cause, count }) => ({ cause, count }))
  return { refused: of('refused'), first: of('first_refused') }
}
