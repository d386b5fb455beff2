/**
 * A campaign's frozen list for the API: each recipient with its state and reason, page by page in
 * the order of its key.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignKey } from './campaign-key.ts'

/** A counter of `progress`, or a status of the mail. */
export const recipientFilters = [
  'pending',
  'sent',
  'failed',
  'suppressed',
  'in_doubt',
  'delivered',
  'bounced',
  'complained',
] as const
export type RecipientFilter = (typeof recipientFilters)[number]

export interface RecipientEntry {
  subscriberId: string
  email: string
  /** The counter of progress that includes it. */
  place: string
  status: string
  /** Why it is not sent, in doubt, or still to be tried again; or why it bounced. */
  reason: string | null
  /** The provider's last response. */
  response: string | null
  attempts: number
  sentAt: Date | null
  deliveredAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
}

/**
 * Reads up to `max` rows of the list behind `after`; answers those that pass the filter, and the
 * last one that was read (null at the end).
 */
export async function recipientsPage(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  { after, max, filter }: { after: string; max: number; filter: RecipientFilter | null },
): Promise<{ entries: RecipientEntry[]; scannedTo: string | null }> {
  const rows = await db.rows<RecipientEntry & { passes: boolean; last: boolean }>(sql`
    with span as materialized (
      select *, campaign_place(state, status, sent_at) as place from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
      order by subscriber_id limit ${max}
    ), ends as materialized (
      select subscriber_id from span order by subscriber_id desc limit 1
    )
    select s.subscriber_id, s.email, s.place, s.status, s.response,
      coalesce(s.error, case when s.place in ('pending', 'in_doubt') then s.response end) as reason,
        s.attempts,
      s.sent_at, s.delivered_at, s.opened_at, s.clicked_at,
      p.passes, s.subscriber_id = (select subscriber_id from ends)
        and (select count(*) from span) = ${max} as last
    from span s
    cross join lateral (select ${filter}::text is null or s.place = ${filter}
      or s.status = ${filter} as passes) p
    where p.passes or s.subscriber_id = (select subscriber_id from ends)
    order by s.subscriber_id`)
  return {
    entries: rows.filter(({ passes }) => passes),
    scannedTo: rows.find(({ last }) => last)?.subscriberId ?? null,
  }
}
