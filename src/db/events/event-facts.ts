/**
 * Data for events about envelopes, subscribers and addresses, as the publishing transaction sees
 * it.
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { highestId, lowestId } from '../../database/partitions/id-range.ts'
import type { CampaignTarget } from '../feedback/campaign-feedback.ts'
import type { MessageTarget } from '../feedback/feedback.ts'
import { subscriberRowColumns, type SubscriberRow } from '../audience/subscribers.ts'
import type { SuppressionRow } from '../suppression/suppressions.ts'

export interface MessageFacts extends MessageTarget {
  recipient: string
  /** Mailboxes as they were admitted. */
  head: unknown
  subject: string
  tags: Record<string, string> | null
  createdAt: Date
  /** The header `Message-ID`. */
  header: string
  error: string | null
}

/** Envelopes of single messages, in no order. */
export function messageFacts(
  tx: Database,
  workspaceId: number,
  targets: MessageTarget[],
): Promise<MessageFacts[]> {
  return tx.rows<MessageFacts>(sql`
    select t.message_id, t.position, r.email as recipient, r.error, m.head, m.subject, m.tags, m.created_at,
      m.message_id as header
    from ${rowList(targets, 't', { uuid: ['messageId'], smallint: ['position'] })}
    join recipient r on r.workspace_id = ${workspaceId} and r.message_id = t.message_id
      and r.position = t.position
    join message m on m.workspace_id = ${workspaceId} and m.id = t.message_id`)
}

export interface CampaignFacts extends CampaignTarget {
  recipient: string
  fromEmail: string
  /** With its merge tags. */
  subject: string
  createdAt: Date
  error: string | null
  firstName: string | null
  lastName: string | null
  fields: Record<string, string> | null
}

/** Recipients of campaigns, in no order. */
export function campaignFacts(
  tx: Database,
  workspaceId: number,
  targets: CampaignTarget[],
): Promise<CampaignFacts[]> {
  return tx.rows<CampaignFacts>(sql`
    select t.campaign_id, t.subscriber_id, r.email as recipient, r.error,
      coalesce(c.from_email, '') as from_email,
      c.subject, coalesce(c.frozen_at, c.created_at) as created_at, s.first_name, s.last_name, s.fields
    from ${rowList(targets, 't', { uuid: ['campaignId', 'subscriberId'] })}
    join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = t.campaign_id
      and r.subscriber_id = t.subscriber_id
    join campaign c on c.workspace_id = ${workspaceId} and c.id = t.campaign_id
    left join subscriber s on s.workspace_id = ${workspaceId} and s.id = t.subscriber_id`)
}

export function messageHtmls(
  tx: Database,
  workspaceId: number,
  messageIds: string[],
): Promise<{ id: string; html: string | null }[]> {
  return tx.rows<{ id: string; html: string | null }>(sql`
    select message_id as id, html
    from message_body
    where workspace_id = ${workspaceId} and message_id = any (${messageIds}::uuid[])
      and message_id >= ${lowestId(messageIds)} and message_id <= ${highestId(messageIds)}`)
}

/** Subscribers as they are now, in no order. */
export function subscribersById(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<SubscriberRow[]> {
  return tx.rows<SubscriberRow>(sql`
    select ${subscriberRowColumns}
    from subscriber
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}

/**
 * Those of these addresses that this transaction suppressed: an entry that existed before has
 * another version (xmax).
 */
export function suppressionsMade(
  tx: Database,
  workspaceId: number,
  emails: string[],
): Promise<SuppressionRow[]> {
  return tx.rows<SuppressionRow>(sql`
    select id, email, reason, 'organization' as scope, source_id, created_at from suppression
    where workspace_id = ${workspaceId} and email = any (${emails}::text[])
      and xmin = pg_current_xact_id()::xid and xmax::text = '0'`)
}
