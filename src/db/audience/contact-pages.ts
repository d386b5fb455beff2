/** Mails to one contact with their opens and clicks, a page at a time, newest first. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { isLineStored, storedSince } from '../retention/stored-since.ts'

/** The position in the list: entries that are older, or as old with a smaller identifier. */
export interface ContactPageOptions {
  email: string
  subscriberId: string | null
  before: { at: string; id: string } | null
  max: number
}

export interface ContactMailRow {
  kind: 'single' | 'notice' | 'campaign'
  id: string
  name: string | null
  subject: string
  status: string
  error: string | null
  response: string | null
  at: Date
  sentAt: Date | null
  deliveredAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
  unsubscribedAt: Date | null
}

/**
 * A page reads only this many of the newest single messages of an address: identifiers grow with
 * time.
 */
const singlesMax = 2_000

/** Reads each campaign by its key: their lists have no index by contact. */
export function contactMailPage(
  db: Database,
  workspaceId: number,
  { email, subscriberId, before, max }: ContactPageOptions,
): Promise<ContactMailRow[]> {
  return db.rows<ContactMailRow>(sql`
    select * from (
      (select case when m.notice then 'notice' else 'single' end as kind, m.id, null as name, m.subject,
        r.status, r.error, r.response,
         m.created_at as at, r.sent_at, r.delivered_at, r.opened_at,
         r.clicked_at, null::timestamptz as unsubscribed_at
       from (
         select * from recipient where workspace_id = ${workspaceId} and address_key = ${email}
         order by message_id desc limit ${singlesMax}
       ) r
       cross join lateral (
         select *
         from message
         where workspace_id = ${workspaceId} and id = r.message_id
         limit 1) m
       -- Members do not learn that another one asked for a password.
       where ${isLineStored(workspaceId)} and m.head ->> 'private' is distinct from 'true')
      union all
      (select 'campaign', c.id, c.name, c.subject, r.status, r.error, r.response,
         coalesce(r.sent_at, c.sent_at, c.frozen_at, c.created_at), r.sent_at, r.delivered_at, r.opened_at,
         r.clicked_at, r.unsubscribed_at
       from campaign c
       cross join lateral (
         select *
         from campaign_recipient
         where workspace_id = ${workspaceId} and campaign_id = c.id and subscriber_id = ${subscriberId}::uuid
         limit 1) r
       where c.workspace_id = ${workspaceId} and ${subscriberId}::uuid is not null
         and (c.completed_at is null
         or c.completed_at >= coalesce(
           (select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})), '-infinity')))
    ) k
    where (k.at, k.id) < (${before?.at ?? 'infinity'}::timestamptz,
      ${before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid)
    order by k.at desc, k.id desc limit ${max}`)
}

export interface ContactEngagementRow {
  id: string
  kind: 'open' | 'click'
  visitor: 'person' | 'relay' | 'scanner'
  at: Date
  url: string | null
  userAgent: string
  subject: string
  emailId: string | null
  campaignId: string | null
}

export function contactEngagementPage(
  db: Database,
  workspaceId: number,
  { email, subscriberId, before, max }: ContactPageOptions,
): Promise<ContactEngagementRow[]> {
  return db.rows<ContactEngagementRow>(sql`
    select v.id, v.kind, v.visitor, v.at, l.url, v.user_agent, v.subject, v.message_id as email_id,
      v.campaign_id
    from (
      select k.* from (
        (select v.id, v.kind, v.visitor, v.at, v.user_agent, v.link_position, v.message_id, v.campaign_id,
          m.subject
         from (
           select message_id, position
           from recipient
           where workspace_id = ${workspaceId} and address_key = ${email}
           order by message_id desc limit ${singlesMax}
         ) r
         cross join lateral (
           select *
           from engagement
           where workspace_id = ${workspaceId} and message_id = r.message_id
             and recipient_position = r.position) v
         cross join lateral (
           select id, subject, created_at
           from message
           where workspace_id = ${workspaceId} and id = r.message_id
           limit 1) m
         where ${isLineStored(workspaceId)})
        union all
        (select v.id, v.kind, v.visitor, v.at, v.user_agent, v.link_position, v.message_id, v.campaign_id,
          c.subject
         from campaign c
         cross join lateral (
           select *
           from engagement
           where workspace_id = ${workspaceId} and campaign_id = c.id
             and subscriber_id = ${subscriberId}::uuid) v
         where c.workspace_id = ${workspaceId} and ${subscriberId}::uuid is not null)
      ) k
      where (k.at, k.id) < (${before?.at ?? 'infinity'}::timestamptz,
        ${before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid)
        and k.at >= coalesce(
          (select facteur_stored_since(${workspaceId}, ${storedSince.deliveryDetails})), '-infinity')
      order by k.at desc, k.id desc limit ${max}
    ) v
    left join lateral (
      select url
      from campaign_link
      where workspace_id = ${workspaceId} and campaign_id = v.campaign_id and position = v.link_position
      limit 1) l
        on true
    order by v.at desc, v.id desc`)
}

/** Consecutive soft bounces of an address, as far as they are counted. */
export function softBouncesOf(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<{ count: number; firstAt: Date } | null> {
  return db.row<{ count: number; firstAt: Date }>(sql`
    select count, first_at from soft_bounce where workspace_id = ${workspaceId} and email = ${email}`)
}

export async function campaignNames(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; name: string }>(sql`
    select c.id, c.name from unnest(${ids}::uuid[]) as a (id)
    cross join lateral (
      select id, name
      from campaign
      where workspace_id = ${workspaceId} and id = a.id
      limit 1) c`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
