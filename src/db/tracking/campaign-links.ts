/** The target addresses of a campaign's links. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** With filled merge tags. Null if there is no such link. */
export function campaignLink(
  db: Database,
  workspaceId: number,
  campaignId: string,
  position: number,
): Promise<string | null> {
  return db.value<string>(sql`
    select url
    from campaign_link
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and position = ${position}`)
}

/** The links of a campaign in the order of its text. */
export function campaignLinks(
  db: Database,
  workspaceId: number,
  campaignId: string,
): Promise<{ position: number; url: string }[]> {
  return db.rows<{ position: number; url: string }>(sql`
    select position, url
    from campaign_link
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
    order by position`)
}
