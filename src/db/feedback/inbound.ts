/**
 * Mail that comes back: finds the campaign of a short token, and records test mails of the operator
 * (probes) that arrived.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Campaigns of the workspace created in that millisecond, with that end of the identifier, sent to
 * this subscriber. More than two are not looked for: two are ambiguous already.
 */
export function campaignsNamed(
  db: Database,
  workspaceId: number,
  {
    timePart: created,
    last,
    subscriberId,
  }: { timePart: string; last: string; subscriberId: string },
): Promise<string[]> {
  const time = `${created.slice(0, 8)}-${created.slice(8)}`
  return db.column<string>(sql`
    select c.id from campaign c
    cross join lateral (
      select from campaign_recipient r
      where r.workspace_id = ${workspaceId} and r.campaign_id = c.id and r.subscriber_id = ${subscriberId}) r
    where c.workspace_id = ${workspaceId}
      and c.id between ${`${time}-0000-0000-000000000000`}::uuid and ${`${time}-ffff-ffff-ffffffffffff`}::uuid
      and right(c.id::text, 4) = ${last}
    limit 2`)
}

/** The address that a mail went to, and the one in its From. */
export interface EnvelopeAddresses {
  email: string
  from: string
}

/** Null if there is no such recipient. */
export function envelopeOf(
  db: Database,
  workspaceId: number,
  target: { messageId: string; position: number } | { campaignId: string; subscriberId: string },
): Promise<EnvelopeAddresses | null> {
  return db.row<EnvelopeAddresses>(
    'messageId' in target
      ? sql`
        select r.address_key as email, m.head -> 'from' ->> 'address' as "from"
        from recipient r join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
        where r.workspace_id = ${workspaceId} and r.message_id = ${target.messageId}
          and r.position = ${target.position}`
      : sql`
        select r.email, coalesce(c.from_email, '') as "from"
        from campaign_recipient r join campaign c on c.workspace_id = ${workspaceId} and c.id = r.campaign_id
        where r.workspace_id = ${workspaceId} and r.campaign_id = ${target.campaignId}
          and r.subscriber_id = ${target.subscriberId}`,
  )
}

/** How many feedback rows one recipient has; counted up to 100. */
export function countFeedback(
  db: Database,
  workspaceId: number,
  target: { messageId: string; position: number } | { campaignId: string; subscriberId: string },
): Promise<number> {
  const counted =
    'messageId' in target
      ? sql`select count(*)::int as count from (select from feedback where workspace_id = ${workspaceId}
              and message_id = ${target.messageId} and position = ${target.position} limit 100) f`
      : sql`select count(*)::int as count from (select from feedback where workspace_id = ${workspaceId}
              and campaign_id = ${target.campaignId} and subscriber_id = ${target.subscriberId} limit 100) f`
  return db.onlyValue<number>(counted)
}

/** A second call changes nothing. */
export async function insertProbe(db: Database, id: string): Promise<void> {
  await db.count(sql`
    with old as (delete from inbound_probe where arrived_at < (select facteur_now() - interval '1 day'))
    insert into inbound_probe (id, arrived_at) values (${id}, facteur_now()) on conflict do nothing`)
}

/** Whether the probe has arrived; its row is deleted then. */
export function takeProbe(db: Database, id: string): Promise<boolean> {
  return db.changes(sql`delete from inbound_probe where id = ${id}`)
}
