/**
 * Data of one message's page: its recipients with the history of each, its files, the events it
 * caused.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { idsStoredFrom, storedFrom } from '../retention/stored-since.ts'
import type { FailureCause } from '../sending/failure-causes.ts'
import type { RecipientRow } from './messages.ts'
import type { DeliveryRow } from '../webhooks/webhook-journal.ts'

/** A single message's recipient, with the columns that lists leave out. */
export interface RecipientInFull extends Omit<
  RecipientRow,
  'sentAt' | 'settledAt' | 'nextAt' | 'doubtedAt' | 'deliveredAt' | 'openedAt' | 'clickedAt'
> {
  position: number
  cause: FailureCause | null
  nextAt: Date
  doubtedAt: Date | null
  sentAt: Date | null
  deliveredAt: Date | null
  settledAt: Date | null
}

export function recipientsInFull(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<RecipientInFull[]> {
  return db.rows<RecipientInFull>(sql`
    select position, email, kind, status, error, cause, bounce, state, attempts, doubts, doubted_at, response,
      next_at, sent_at, delivered_at, delivered_by, settled_at
    from recipient where workspace_id = ${workspaceId} and message_id = ${messageId} order by position`)
}

export interface FeedbackPageRow {
  part: string
  kind: string
  detail: string | null
  at: Date
}

/** Feedback on a single message's recipients, oldest first. */
export function feedbackOfMessage(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<FeedbackPageRow[]> {
  return db.rows<FeedbackPageRow>(sql`
    select position::text as part, kind, detail, coalesce(least(occurred_at, received_at), received_at) as at
    from feedback
    where workspace_id = ${workspaceId} and message_id = ${messageId}
      and received_at >= ${storedFrom(workspaceId, 'deliveryDetails')}
    order by received_at
    limit 500`)
}

export function feedbackOfCampaignMail(
  db: Database,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
): Promise<FeedbackPageRow[]> {
  return db.rows<FeedbackPageRow>(sql`
    select subscriber_id::text as part, kind, detail,
      coalesce(least(occurred_at, received_at), received_at) as at
    from feedback
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = ${subscriberId}
      and received_at >= ${storedFrom(workspaceId, 'deliveryDetails')}
    order by received_at limit 500`)
}

export interface EngagementRow {
  part: string
  kind: 'open' | 'click'
  visitor: 'person' | 'relay' | 'scanner'
  userAgent: string
  linkPosition: number | null
  /** Of campaigns alone: the links of a single message are in its html. */
  link: string | null
  at: Date
}

/** Opens and clicks of a single message, oldest first. */
export function engagementOfMessage(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<EngagementRow[]> {
  return db.rows<EngagementRow>(sql`
    select recipient_position::text as part, kind, visitor, user_agent, link_position, null as link, at
    from engagement
    where workspace_id = ${workspaceId} and message_id = ${messageId}
      and at >= ${storedFrom(workspaceId, 'deliveryDetails')}
    order by at, id
    limit 500`)
}

export function engagementOfCampaignMail(
  db: Database,
  workspaceId: number,
  { campaignId, subscriberId }: { campaignId: string; subscriberId: string },
): Promise<EngagementRow[]> {
  return db.rows<EngagementRow>(sql`
    select v.subscriber_id::text as part, v.kind, v.visitor, v.user_agent, v.link_position, l.url as link,
      v.at
    from engagement v
    left join campaign_link l on l.workspace_id = ${workspaceId} and l.campaign_id = v.campaign_id
      and l.position = v.link_position
    where v.workspace_id = ${workspaceId} and v.campaign_id = ${campaignId}
      and v.subscriber_id = ${subscriberId}
      and v.at >= ${storedFrom(workspaceId, 'deliveryDetails')}
    order by v.at, v.id limit 500`)
}

export interface DeferralRow {
  part: string
  attempt: number
  response: string | null
  at: Date
}

/**
 * Temporary refusals of a message's envelopes, or of a campaign's to one subscriber; oldest first.
 */
export function deferralsOf(
  db: Database,
  workspaceId: number,
  { mailId, part }: { mailId: string; part: string | null },
): Promise<DeferralRow[]> {
  return db.rows<DeferralRow>(sql`
    select part, attempt, response, at from deferral
    where workspace_id = ${workspaceId} and mail_id = ${mailId} and (${part}::text is null or part = ${part})
      and at >= ${storedFrom(workspaceId, 'deliveryDetails')} order by at limit 500`)
}

export interface AttachmentRow {
  position: number
  name: string | null
  type: string | null
  /** The name that `cid:` links in the html use. */
  contentId: string | null
  size: number
}

export function filesOfMessage(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<AttachmentRow[]> {
  return db.rows<AttachmentRow>(sql`
    select position, filename as name, content_type as type, content_id, octet_length(content) as size
    from attachment
    where workspace_id = ${workspaceId} and message_id = ${messageId} order by position`)
}

/** A delivery of an event to a webhook that still exists. */
export interface CausedRow extends Pick<
  DeliveryRow,
  | 'webhookId'
  | 'eventId'
  | 'type'
  | 'status'
  | 'attempts'
  | 'responseStatus'
  | 'error'
  | 'createdAt'
> {
  webhookName: string
  url: string
}

/** Deliveries that a mail caused, newest first; `mail` is its identifier in the log. */
export function deliveriesCausedBy(
  db: Database,
  workspaceId: number,
  mail: string,
  max: number,
): Promise<CausedRow[]> {
  return db.rows<CausedRow>(sql`
    select w.id as webhook_id, w.name as webhook_name, w.url, d.event_id, d.type, d.status, d.attempts,
      d.response_status, d.error, d.created_at
    from (
      select id from event where workspace_id = ${workspaceId} and facteur_event_mail(body) = ${mail}
        and id >= ${idsStoredFrom(workspaceId, 'events')}
      order by id desc
      limit ${max}
    ) e
    cross join (
      select id, name, url from webhook
      where workspace_id = ${workspaceId} and deleted_at is null) w
    cross join lateral (
      select * from webhook_delivery
      where workspace_id = ${workspaceId} and webhook_id = w.id and event_id = e.id
      limit 1) d
    order by d.event_id desc, w.id limit ${max}`)
}
