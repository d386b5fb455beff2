/**
 * Pages, counts and selected entries of a workspace's suppression list. Those of erased contacts are
 * in it without their address.
 */
import { suppressionReasons, type SuppressionReason } from '../../contract/suppression.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { endOfSuppression, type SuppressionRow } from './suppressions.ts'

export interface SuppressionFilter {
  /** Null, here and below: any. */
  reason: SuppressionReason | null
  /** Part of the address, lower-cased. */
  q: string | null
  from: string | null
}

const anyEntry: SuppressionFilter = { reason: null, q: null, from: null }

export interface SuppressionRange {
  /** Absent: all. */
  filter?: SuppressionFilter
  /** Only older ones. Null: from the newest on. */
  before: { at: string; id: string } | null
  /** Entries that are examined at most. Absent: as many as the page has. */
  scannedMax?: number
}

/** The newest of the range that pass the filter, among those that one page examines. */
export function suppressionPage(
  db: Database,
  workspaceId: number,
  { max, ...range }: SuppressionRange & { max: number },
): Promise<SuppressionRow[]> {
  return db.rows<SuppressionRow>(sql`
    select id, email, reason, scope, source_id, created_at
    from (${examined(workspaceId, { scannedMax: max, ...range })}) l
    where ${matching(range)}
    order by created_at desc, id desc limit ${max}`)
}

type Examined = SuppressionRange & { scannedMax: number }

/** The last entry that a page examined. Null means it examined all. */
export function endOfExaminedSuppression(
  db: Database,
  workspaceId: number,
  range: Examined,
): Promise<Pick<SuppressionRow, 'id' | 'createdAt'> | null> {
  return db.row(sql`
    select id, created_at
    from (${examined(workspaceId, range)}) l
    order by created_at desc, id desc offset ${range.scannedMax - 1} limit 1`)
}

const matching = ({ filter: { q } = anyEntry }: SuppressionRange): Fragment =>
  part`(${q}::text is null or strpos(email, ${q}) > 0)`

/** The place is a bound of each index: page 1,000 costs what page 1 does. */
function examined(
  workspaceId: number,
  { filter: { reason, from, q } = anyEntry, before, scannedMax }: Examined,
): Fragment {
  const { at, id } = before ?? endOfSuppression
  const ofReason = reason === null ? part`` : part` and reason = ${reason}`
  const within = part`workspace_id = ${workspaceId} and (created_at, id) < (${at}::timestamptz, ${id}::uuid)
       and created_at >= coalesce(${from}::timestamptz, '-infinity')${ofReason}
     order by created_at desc, id desc limit ${scannedMax}`
  const listed = part`
    (select id, email, reason, 'organization' as scope, source_id, created_at
     from suppression where ${within})`
  // No text is a part of an address that is not stored.
  if (q !== null) return listed
  return part`${listed}
    union all
    (select id, 'erased@invalid', reason, 'organization', null, created_at
     from erased_suppression where ${within})
    order by created_at desc, id desc limit ${scannedMax}`
}

export interface ReasonCount {
  reason: SuppressionReason
  count: number
  /** Without those of erased contacts. */
  removable: number
}

interface Period {
  /** Null: from the first. */
  from: string | null
  /** Null: to the last. */
  to: string | null
  max: number
}

/** How many entries each reason has, counted in its index up to `max`. */
export function countByReason(
  db: Database,
  workspaceId: number,
  { from, to, max }: Period,
): Promise<ReasonCount[]> {
  const within = part`reason = t.reason
        and created_at >= coalesce(${from}::timestamptz, '-infinity')
        and created_at < coalesce(${to}::timestamptz, 'infinity') limit ${max}`
  return db.rows<ReasonCount>(sql`
    select t.reason, least(listed.count + erased.count, ${max}::int8)::int as count,
      listed.count::int as removable
    from unnest(${[...suppressionReasons]}::text[]) as t (reason)
    cross join lateral (
      select count(*) as count
      from (select 1 from suppression where workspace_id = ${workspaceId} and ${within}) s
    ) listed
    cross join lateral (
      select count(*) as count
      from (select 1 from erased_suppression where workspace_id = ${workspaceId} and ${within}) e
    ) erased`)
}

/** By reason how many of the newest entries match, and how many were examined. */
export function countMatchingEntries(
  db: Database,
  workspaceId: number,
  range: Examined,
): Promise<(ReasonCount & { examined: number })[]> {
  return db.rows(sql`
    select reason, (count(*) filter (where ${matching(range)}))::int as count,
      (count(*) filter (where ${matching(range)}))::int as removable, count(*)::int as examined
    from (${examined(workspaceId, range)}) l
    group by reason`)
}

/** The addresses of these entries, which stay locked to the end of the transaction. */
export async function lockSelectedSuppressions(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<string[]> {
  const rows = await tx.rows<{ email: string }>(sql`
    select email from suppression
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])
    order by email for update`)
  return rows.map(({ email }) => email)
}

/** Deletes the entries of these addresses, also of erased contacts. */
export async function deleteSuppressionsOf(
  tx: Database,
  workspaceId: number,
  emails: string[],
): Promise<void> {
  await tx.count(sql`
    with erased as (
      delete from erased_suppression e using workspace w, unnest(${emails}::text[]) as a (email)
      where e.workspace_id = ${workspaceId} and w.id = ${workspaceId}
        and e.digest = facteur_erasure_digest(w.erasure_salt, a.email)
    )
    delete from suppression where workspace_id = ${workspaceId} and email = any (${emails}::text[])`)
}
