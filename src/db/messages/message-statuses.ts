/** How many of given messages have each status, by one look-up of each. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { statusByR } from './messages.ts'

interface StatusCount {
  status: string
  count: number
}

/** Of single messages. */
export function statusesOfMessages(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<StatusCount[]> {
  return db.rows<StatusCount>(sql`
    select s.status, count(*)::int8 as count
    from unnest(${ids}::uuid[]) t (id)
    cross join lateral (
      select ${statusByR} as status
      from recipient r
      where r.workspace_id = ${workspaceId} and r.message_id = t.id) s
    where s.status is not null
    group by s.status`)
}

/** Of mails of campaigns. */
export function statusesOfCampaignMails(
  db: Database,
  workspaceId: number,
  mails: { campaignId: string; subscriberId: string }[],
): Promise<StatusCount[]> {
  return db.rows<StatusCount>(sql`
    select r.status, count(*)::int8 as count
    from unnest(${mails.map(({ campaignId }) => campaignId)}::uuid[],
      ${mails.map(({ subscriberId }) => subscriberId)}::uuid[]) t (campaign_id, subscriber_id)
    cross join lateral (
      select status from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = t.campaign_id and subscriber_id = t.subscriber_id
      limit 1) r
    group by r.status`)
}
