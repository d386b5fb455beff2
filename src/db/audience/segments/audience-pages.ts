/**
 * Pages of the audience that members look through: by an index where one serves, and by a
 * definition, a text and a sort else.
 */
import type { AudienceSort } from '../../../contract/workspace/audience-list.ts'
import type { SubscriberStatus } from '../../../contract/subscribers.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { sql, unprepared } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'
import { allowSweeps } from '../../../database/planner/allow-sweeps.ts'
import { endOfIds, ofStatus, type SearchNeedle } from '../subscriber-search.ts'
import { subscriberRowColumns, type SubscriberRow } from '../subscribers.ts'
import { selectedBy, type Selection } from './segment-members.ts'

/** Before every identifier. */
const startOfIds = '00000000-0000-0000-0000-000000000000'

/** Where a page begins: behind this contact; null: at the beginning. */
export type PagePosition = { id: string; email: string } | null

const orders = {
  '-created': fragment`s.id desc`,
  created: fragment`s.id asc`,
  email: fragment`s.email asc`,
  '-email': fragment`s.email desc`,
} as const satisfies Record<AudienceSort, Fragment>

function behind(sort: AudienceSort, position: PagePosition): Fragment {
  switch (sort) {
    case '-created':
      return part`s.id < ${position?.id ?? endOfIds}::uuid`
    case 'created':
      return part`s.id > ${position?.id ?? startOfIds}::uuid`
    case 'email':
      return part`s.email > ${position?.email ?? ''}`
    case '-email':
      return position === null ? fragment`true` : part`s.email < ${position.email}`
  }
}

/** A page that one index serves: all contacts by any sort, those of a status by time. */
export function indexedPage(
  db: Database,
  workspaceId: number,
  page: {
    status: SubscriberStatus | null
    sort: AudienceSort
    position: PagePosition
    max: number
  },
): Promise<SubscriberRow[]> {
  const { status, sort, position, max } = page
  const after = part`> (${status}, ${position?.id ?? startOfIds}::uuid)`
  const ofOne = part`${ofStatus(status, after)} and status <= ${status}`
  return db.rows<SubscriberRow>(sql`
    select ${subscriberRowColumns}
    from subscriber s
    where workspace_id = ${workspaceId} and ${status === null ? behind(sort, position) : ofOne}
    order by ${status === null ? orders[sort] : fragment`status asc, id asc`}
    limit ${max}`)
}

export interface Sought {
  selection: Selection
  /** Null: any name and address. */
  needle: SearchNeedle | null
}

/** A page in a transaction of one moment. Rejects with the SQLSTATE 57014 after `timeoutMs`. */
export async function soughtPage(
  tx: Database,
  sought: Sought,
  {
    sort,
    position,
    max,
    timeoutMs,
  }: { sort: AudienceSort; position: PagePosition; max: number; timeoutMs: number },
): Promise<SubscriberRow[]> {
  const long = await allowSweeps(tx, timeoutMs)
  return tx.rows<SubscriberRow>(
    long(
      unprepared(sql`
        select ${subscriberRowColumns}
        from (
          select s.*
          from ${soughtBy(sought)} and ${behind(sort, position)}
          order by ${orders[sort]}
          limit ${max}) s
        order by ${orders[sort]}`),
    ),
  )
}

/** How many there are, counted up to `max` (null: all); otherwise as `soughtPage`. */
export async function countSought(
  tx: Database,
  sought: Sought,
  { max, timeoutMs }: { max: number | null; timeoutMs: number },
): Promise<number> {
  const long = await allowSweeps(tx, timeoutMs)
  return tx.onlyValue<number>(
    long(
      unprepared(sql`
        select count(*)::int8 as count
        from (select 1 from ${soughtBy(sought)} limit ${max}::int8) found`),
    ),
  )
}

/** A text is compared with the search index, which has a new contact a moment later. */
function soughtBy({ selection, needle }: Sought): Fragment {
  const selected = selectedBy(selection)
  if (needle === null) return selected
  return part`${selected} and s.id in (
    select f.subscriber_id
    from subscriber_search f
    where f.grams @> ${needle.grams}::int[] and (f.workspace_id = ${selection.context.workspaceId}) is true
      and f.haystack like any (${needle.patterns}::text[]))`
}
