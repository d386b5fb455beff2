/**
 * Reads whom a mail was addressed to, as its To and Cc were written: reporters may have left them
 * out (RFC 6590).
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * The mailboxes and headers of a message, also of a notice of ours. Null if there is no such
 * message.
 */
export async function addressedHead(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<unknown> {
  const [row] = await db.rows<{ head: unknown }>(sql`
    select head from message where workspace_id = ${workspaceId} and id = ${messageId}`)
  return row?.head ?? null
}

export interface AddressedSubscriber {
  email: string
  firstName: string | null
  lastName: string | null
}

/** The recipient of a campaign, with the name that the subscriber has now. */
export function addressedSubscriber(
  db: Database,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
): Promise<AddressedSubscriber | null> {
  return db.row<AddressedSubscriber>(sql`
    select r.email, s.first_name, s.last_name
    from campaign_recipient r
    left join subscriber s on s.workspace_id = ${workspaceId} and s.id = r.subscriber_id
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
      and r.subscriber_id = ${subscriberId}`)
}
