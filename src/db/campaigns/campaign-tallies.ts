/**
 * A campaign's counters: its statistics read them and no recipient rows, so a million recipients
 * cost what ten do.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { addToTally } from './campaign-counts.ts'

/**
 * One counter: `measure` says what it counts, `label` which (of `link`: the link's place; of
 * `opened_in` and `clicked_in`: the window's; of `opened_at` and `clicked_at`: `h0` to `h23`, `d1`
 * to `d6`, `later`).
 */
export interface TallyRow {
  measure: string
  label: string
  count: number
}

/** The counter that a measure and label name; zero where it is absent. */
export const countOf = (tallies: TallyRow[], measure: string, label = ''): number =>
  tallies.find((row) => row.measure === measure && row.label === label)?.count ?? 0

/** All counters of a campaign; how many there are does not depend on its recipients. */
export function campaignTallies(
  db: Database,
  workspaceId: number,
  campaignId: string,
): Promise<TallyRow[]> {
  return db.rows<TallyRow>(sql`
    select measure, label, count
    from campaign_tally
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
}

/**
 * Marks that a recipient unsubscribed by this campaign, once, and counts it. False if it was marked
 * before, or is not one of its recipients.
 */
export function markUnsubscribed(
  db: Database,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    with marked as (
      update campaign_recipient set unsubscribed_at = facteur_now()
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}
        and unsubscribed_at is null
      returning 1
    ), tallied as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, ${campaignId}, 'unsubscribed', '', 1 from marked
      ${addToTally}
    )
    select exists (select from marked) as marked`)
}
