/**
 * Counts the subscribers that a campaign would reach, and those it leaves out by reason, in the
 * same time for lists of any size.
 */
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { countReachable } from './subscribers.ts'

export interface NotReachedCount {
  /**
   * A status other than `subscribed`, or `platform`: subscribed, and suppressed by the platform.
   */
  why: string
  count: number
  /** There are more than these. */
  more: boolean
}

export interface AudienceCounts {
  /** Exact: as many as a list frozen now. */
  reachable: number
  /** Each counted up to `max`. */
  notReached: NotReachedCount[]
}

/** One moment for both counts. */
export function audienceCounts(
  db: Connection,
  workspaceId: number,
  max: number,
): Promise<AudienceCounts> {
  return db.transaction(async (tx) => {
    await readOneMoment(tx)
    return {
      reachable: await countReachable(tx, workspaceId),
      notReached: await countNotReached(tx, workspaceId, max),
    }
  })
}

/**
 * A tally counts the subscribed ones; the others are counted in an index, up to `max`. The platform
 * suppresses few.
 */
export function countNotReached(
  tx: Database,
  workspaceId: number,
  max: number,
): Promise<NotReachedCount[]> {
  return tx.rows(sql`
    select t.why, least(n.count, ${max}) as count, n.count > ${max} as more
    from unnest(array['bounced', 'complained', 'pending', 'unsubscribed']) with ordinality as t (why, place)
    cross join lateral (
      select count(*) as count from (
        select 1 from subscriber where workspace_id = ${workspaceId} and status = t.why limit ${max} + 1
      ) s
    ) n
    where n.count > 0
    union all
    select 'platform', least(n.count, ${max}), n.count > ${max} from (
      select count(*) as count from (
        select 1 from platform_suppression g
        where (select status
          from subscriber
          where workspace_id = ${workspaceId} and email = g.email) = 'subscribed'
        limit ${max} + 1
      ) s
    ) n
    where n.count > 0`)
}

/**
 * Counts by merge tag (`firstName`, `fields.town`) the subscribed who have no value for it, among
 * the first `max` of them; a tag whose value nobody lacks is left out.
 */
export function countMissingValues(
  db: Database,
  { workspaceId, tags, max }: { workspaceId: number; tags: string[]; max: number },
): Promise<{ tag: string; count: number }[]> {
  return db.rows(sql`
    select t.tag, count(*)::int as count from (
      select first_name, last_name, fields
      from subscriber
      where workspace_id = ${workspaceId} and status = 'subscribed'
      limit ${max}
    ) s
    cross join unnest(${tags}::text[]) as t (tag)
    where coalesce(
      case t.tag when 'firstName' then s.first_name when 'lastName' then s.last_name
        else s.fields ->> substr(t.tag, length('fields.') + 1) end,
        '') = ''
    group by t.tag`)
}

/** Those of the custom fields that no subscriber ever had. */
export async function unknownFields(
  db: Database,
  workspaceId: number,
  keys: string[],
): Promise<string[]> {
  const rows = await db.rows<{ key: string }>(
    sql`select key from subscriber_field where workspace_id = ${workspaceId} and key = any (${keys}::text[])`,
  )
  const known = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !known.has(key))
}
