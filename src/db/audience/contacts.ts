/** All data about one address, table by table, for its export. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { isLineStored, storedSince } from '../retention/stored-since.ts'

/** Of JSON of the database: times are RFC 3339 texts. */
export interface KnownConsent {
  act: string
  /** The topic that was joined or left. Null means another act. */
  topic: string | null
  source: string
  at: string
  shown: string | null
  ip: string | null
  user_agent: string | null
  /** The user of the workspace who wrote it. */
  person: string | null
  email_id: string | null
  campaign_id: string | null
}

export interface KnownMessage {
  email_id: string
  subject: string
  kind: 'to' | 'cc' | 'bcc'
  status: string
  error: string | null
  response: string | null
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  opened_at: string | null
  clicked_at: string | null
}

export interface KnownCampaignMail extends Omit<KnownMessage, 'email_id' | 'kind' | 'created_at'> {
  campaign_id: string
  name: string
  unsubscribed_at: string | null
}

export interface KnownEngagement {
  kind: 'open' | 'click'
  visitor: string
  at: string
  url: string | null
  user_agent: string
  ip: string | null
  email_id: string | null
  campaign_id: string | null
}

export interface KnownSignUp {
  form_id: string
  created_at: string
  first_name: string | null
  last_name: string | null
  fields: Record<string, string>
  /** The form's topics, as they were ticked. Null means it asked for none. */
  topics: { id: string; subscribed: boolean }[] | null
  ip: string | null
  user_agent: string | null
}

/** A line of an imported file that was refused. */
export interface KnownRefusal {
  file: string
  line: number
  reason: string
  at: string
}

/** Requests for consent and their answers, and what the contact chose; oldest first. */
export function consentsOfAddress(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<KnownConsent[]> {
  return db.column<KnownConsent>(sql`
    select to_jsonb(k) as known from (
      select e.act, e.topic, e.source, e.at, e.shown, e.ip, e.user_agent, e.person, e.email_id, e.campaign_id
      from (
        select c.id, c.act, null::text as topic, c.source, c.at, c.shown, c.ip, c.user_agent,
          c.recorded_by as person, c.message_id as email_id, c.campaign_id
        from consent_evidence c
        where c.workspace_id = ${workspaceId} and c.email = ${email}
        union all
        select c.id, c.act, c.topic, c.source, c.at, c.shown, c.ip, c.user_agent, null, null, c.campaign_id
        from subscriber s
        join choice_evidence c on c.workspace_id = ${workspaceId} and c.subscriber_id = s.id
        where s.workspace_id = ${workspaceId} and s.email = ${email}
      ) e
      order by e.at, e.id
    ) k`)
}

/** Single messages to the address, newest first; `max`: how many, null is all. */
export function messagesToAddress(
  db: Database,
  workspaceId: number,
  email: string,
  max: number | null = null,
): Promise<KnownMessage[]> {
  return db.column<KnownMessage>(sql`
    select to_jsonb(k) as known from (
      select m.id as email_id, m.subject, r.kind, r.status, r.error, r.response, m.created_at, r.sent_at,
        r.delivered_at, r.opened_at, r.clicked_at
      from recipient r join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
      where r.workspace_id = ${workspaceId} and r.address_key = ${email} and ${isLineStored(workspaceId)}
      order by m.created_at desc, m.id desc limit ${max}::bigint
    ) k`)
}

/**
 * Whether a mail to the address is stored, even one that has expired: an erasure does not wait
 * until it is deleted.
 */
export function hasMailTo(db: Database, workspaceId: number, email: string): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
      select from recipient
      where workspace_id = ${workspaceId} and address_key = ${email}) as has`)
}

/**
 * Mails of campaigns to a subscriber, newest first. It reads each campaign by its key: their lists
 * have no index by contact.
 */
export function campaignMailsOfContact(
  db: Database,
  workspaceId: number,
  subscriberId: string,
  max: number | null = null,
): Promise<KnownCampaignMail[]> {
  return db.column<KnownCampaignMail>(sql`
    select to_jsonb(k) as known from (
      select c.id as campaign_id, c.name, c.subject, r.status, r.error, r.response, r.sent_at, r.delivered_at,
        r.opened_at, r.clicked_at, r.unsubscribed_at
      from campaign c
      cross join lateral (
        select *
        from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = c.id and subscriber_id = ${subscriberId}) r
      where c.workspace_id = ${workspaceId}
        and (c.completed_at is null
        or c.completed_at >= coalesce(
          (select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})), '-infinity'))
      order by c.id desc limit ${max}::bigint
    ) k`)
}

/** Opens and clicks of all these mails, oldest first. */
export function engagementOfContact(
  db: Database,
  workspaceId: number,
  { email, subscriberId }: { email: string; subscriberId: string | null },
  max: number | null = null,
): Promise<KnownEngagement[]> {
  return db.column<KnownEngagement>(sql`
    select to_jsonb(k) as known from (
      select v.kind, v.visitor, v.at, l.url, v.user_agent, v.ip, v.message_id as email_id, v.campaign_id
      from (
        select v.* from recipient r
        cross join lateral (
          select *
          from engagement
          where workspace_id = ${workspaceId} and message_id = r.message_id
            and recipient_position = r.position) v
        cross join lateral (
          select id, created_at
          from message
          where workspace_id = ${workspaceId} and id = r.message_id
          limit 1) m
        where r.workspace_id = ${workspaceId} and r.address_key = ${email} and ${isLineStored(workspaceId)}
        union all
        select v.* from campaign c
        cross join lateral (
          select *
          from engagement
          where workspace_id = ${workspaceId} and campaign_id = c.id
            and subscriber_id = ${subscriberId}::uuid) v
        where c.workspace_id = ${workspaceId} and ${subscriberId}::uuid is not null
      ) v
      left join campaign_link l on l.workspace_id = ${workspaceId} and l.campaign_id = v.campaign_id
        and l.position = v.link_position
      where v.at >= coalesce(
        (select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})), '-infinity')
      order by v.at, v.id limit ${max}::bigint
    ) k`)
}

/** Sign-ups by forms for the address that wait for confirmation. */
export function signUpsOfAddress(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<KnownSignUp[]> {
  return db.column<KnownSignUp>(sql`
    select to_jsonb(k) as known from (
      select form_id, created_at, first_name, last_name, fields, topics, ip, user_agent from sign_up
      where workspace_id = ${workspaceId} and email = ${email} order by created_at, id
    ) k`)
}

/** Lines with this address that imports refused, stored for thirty days; oldest first. */
export function importRefusalsOf(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<KnownRefusal[]> {
  return db.column<KnownRefusal>(sql`
    select to_jsonb(k) as known from (
      select i.file_name as file, r.line, r.reason, i.started_at as at
      from subscriber_import_refusal r
      join subscriber_import i on i.workspace_id = ${workspaceId} and i.id = r.import_id
      where r.workspace_id = ${workspaceId} and r.email = ${email} order by i.started_at, i.id, r.line
    ) k`)
}
