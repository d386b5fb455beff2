/** Refusals that name their cause, counted by the sender's domain and the day. */
import { part, rowShape, type Fragment } from '../../database/client/fragment.ts'
import { refusalDays } from '../retention/lifetimes.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** A refusal of a single message's recipient. */
export interface NamedRefusal {
  messageId: string
  /** The name of its row (mail/reports/refusals). */
  cause: string
  /** The sending address that it is about. Null if it names none. */
  address: string | null
}

const ofMessages = rowShape<NamedRefusal>('r', { uuid: ['messageId'], text: ['cause', 'address'] })
const ofCampaign = rowShape<Omit<NamedRefusal, 'messageId'>>('r', { text: ['cause', 'address'] })

/**
 * Counts refusals of single messages, by the domains of their senders. Our own notices do not
 * count.
 */
export async function countMessageRefusals(
  tx: Database,
  workspaceId: number,
  refusals: NamedRefusal[],
): Promise<void> {
  await tx.count(sql`
    with named as materialized (
      select split_part(m.head->'from'->>'address', '@', -1) as domain, r.cause, max(r.address) as address,
        count(*) as refusals
      from ${ofMessages(refusals)}
      cross join lateral (select head
        from message
        where workspace_id = ${workspaceId} and id = r.message_id and not notice
        limit 1) m
      group by 1, 2
    )
    ${addNamed(workspaceId)}`)
}

/** Counts refusals of a campaign's recipients. */
export async function countNamedOfCampaign(
  tx: Database,
  { workspaceId, campaignId }: { workspaceId: number; campaignId: string },
  refusals: Omit<NamedRefusal, 'messageId'>[],
): Promise<void> {
  await tx.count(sql`
    with named as materialized (
      select split_part(c.from_email, '@', -1) as domain, r.cause, max(r.address) as address,
        count(*) as refusals
      from ${ofCampaign(refusals)}
      cross join lateral (select from_email
        from campaign
        where workspace_id = ${workspaceId} and id = ${campaignId}
        limit 1) c
      where c.from_email is not null group by 1, 2
    )
    ${addNamed(workspaceId)}`)
}

/** Writers of one workspace lock the rows in their order. */
const addNamed = (workspaceId: number): Fragment => part`
    insert into refusal_day (workspace_id, day, domain, cause, refusals, last_at, address)
    select ${workspaceId}::bigint, (facteur_now() at time zone 'utc')::date, n.domain, n.cause, n.refusals,
      date_trunc('milliseconds', facteur_now()), n.address
    from named n order by n.domain, n.cause
    on conflict (workspace_id, day, domain, cause)
      do update set refusals = refusal_day.refusals + excluded.refusals,
      last_at = greatest(refusal_day.last_at, excluded.last_at),
        address = coalesce(excluded.address, refusal_day.address)`

export interface RefusalCount {
  cause: string
  refusals: number
  lastAt: Date
  address: string | null
}

/** The causes of the last thirty days for a sender's domain, the most frequent first. */
export function refusalsOfDomain(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<RefusalCount[]> {
  return db.rows<RefusalCount>(sql`
    select cause, sum(refusals)::int8 as refusals, max(last_at) as last_at,
      (array_agg(address order by last_at desc) filter (where address is not null))[1] as address
    from refusal_day
    where workspace_id = ${workspaceId}
      and day > (select (facteur_now() at time zone 'utc')::date - ${refusalDays}::int) and domain = ${domain}
    group by cause order by refusals desc, cause`)
}

export interface TopRefusal extends RefusalCount {
  slug: string
  workspaceId: number
  domain: string
}

/** The most frequent causes of the last day and a bit, of all workspaces of a database. */
export function topRefusals(db: Database, max: number): Promise<TopRefusal[]> {
  return db.rows<TopRefusal>(sql`
    select w.id as workspace_id, w.slug, r.domain, r.cause, sum(r.refusals)::int8 as refusals,
      max(r.last_at) as last_at, max(r.address) as address
    from workspace w join refusal_day r
      on r.workspace_id = w.id and r.day >= (select (facteur_now() at time zone 'utc')::date - 1)
    group by w.id, w.slug, r.domain, r.cause order by refusals desc, w.slug, r.domain, r.cause limit ${max}`)
}

/** Today's refusals by cause, all workspaces of a database together (UTC). */
export function todaysRefusals(db: Database): Promise<{ cause: string; refusals: number }[]> {
  return db.rows<{ cause: string; refusals: number }>(sql`
    select r.cause, sum(r.refusals)::int8 as refusals
    from workspace w
    join refusal_day r on r.workspace_id = w.id and r.day = (select (facteur_now() at time zone 'utc')::date)
    group by r.cause`)
}
