/**
 * Lists of the subscribers with a trait (core/audience/subscribers/traits.ts): written with the
 * search index, read from the newest on.
 */
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import { rowList, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { endOfIds as end, ofStatus, type FoundSubscriber } from './subscriber-search.ts'

export interface SubscriberTrait {
  id: string
  trait: number
}

export async function addTraits(
  tx: Database,
  workspaceId: number,
  traits: SubscriberTrait[],
): Promise<void> {
  await tx.count(sql`
    insert into subscriber_trait (workspace_id, trait, subscriber_id)
    select ${workspaceId}, t.trait, t.id
    from ${rowList(traits, 't', { bigint: ['trait'], uuid: ['id'] })}
    order by t.trait, t.id
    on conflict do nothing`)
}

export async function dropTraits(
  tx: Database,
  workspaceId: number,
  traits: SubscriberTrait[],
): Promise<void> {
  await tx.count(sql`
    delete from subscriber_trait s
    using ${rowList(traits, 't', { bigint: ['trait'], uuid: ['id'] })}
    where s.workspace_id = ${workspaceId} and s.trait = t.trait and s.subscriber_id = t.id`)
}

/** Marks subscribers without computed traits for indexing; answers how many. */
export function markUntraited(db: Database, workspaceId: number, max: number): Promise<number> {
  return db.count(sql`
    with matching as materialized (
      select f.subscriber_id
      from (
        select subscriber_id
        from subscriber_search
        where workspace_id = ${workspaceId} and traits is null
        limit ${max}) f
      where (select 1
        from subscriber s
        where s.workspace_id = ${workspaceId} and s.id = f.subscriber_id) is not null
    )
    insert into subscriber_search_pending (workspace_id, subscriber_id)
    select ${workspaceId}::bigint, subscriber_id from matching
    on conflict do nothing`)
}

/**
 * The next subscriber on each of these lists, in their order, and on that of the status, after
 * `skip` others. Null means the end of the list.
 */
export function nextOnLists(
  db: Database,
  workspaceId: number,
  {
    traits,
    status,
    before,
    skip,
  }: Pick<TraitScan, 'traits' | 'status' | 'before'> & { skip: number },
): Promise<(string | null)[]> {
  return db.column<string | null>(sql`
    select (
      select x.subscriber_id from subscriber_trait x
      where x.workspace_id = ${workspaceId} and x.trait = t.trait and x.subscriber_id < ${before ?? end}::uuid
      order by x.subscriber_id desc offset ${skip}::int limit 1) as id
    from unnest(${traits}::bigint[]) as t (trait)
    union all
    select (
      select s.id from subscriber s
      where workspace_id = ${workspaceId} and ${ofStatus(status, part`< (${status}, ${before ?? end}::uuid)`)}
      order by status desc, id desc offset ${skip}::int
      limit 1)
    where ${status}::text is not null`)
}

/** The list to read, and the conditions for each subscriber on it. */
export interface TraitScan {
  /** The list of a trait. Null means of the status, or of all where there is none. */
  lead: number | null
  status: SubscriberStatus | null
  traits: number[]
  /** Patterns of LIKE, one of which matches. Null means any name. */
  patterns: string[] | null
  before: string | null
  /** No subscriber newer than this one meets all conditions. Null if it is not known. */
  upTo: string | null
  max: number
}

/**
 * Reads the next `window` of a list until the page is full. Scalar subqueries check the conditions
 * by key, one after the other, so that no plan turns them into a join of whole lists.
 */
export function subscribersInWindow(
  db: Database,
  workspaceId: number,
  scan: TraitScan & { window: number },
): Promise<FoundSubscriber[]> {
  const { lead, status, traits, patterns, max, window } = scan
  return db.rows<FoundSubscriber>(sql`
    with matching as materialized (
      select n.id from (${listsFrom(workspaceId, scan, part`limit ${window}::int`)}) n
      -- Reads the list of the status, whose neighbours lie together; a scan along that list needs no check.
      where (${status}::text is null or ${lead}::bigint is null or (
          select 1
          from subscriber s
          where s.workspace_id = ${workspaceId} and s.status = ${status} and s.id = n.id) is not null)
        and (select count(*) from unnest(${traits}::bigint[]) as t (trait) where (
          select 1
          from subscriber_trait x
          where x.workspace_id = ${workspaceId} and x.trait = t.trait and x.subscriber_id = n.id
        ) is not null) = coalesce(array_length(${traits}::bigint[], 1), 0)
        and (${patterns}::text[] is null or (
          select f.haystack like any (${patterns}::text[])
          from subscriber_search f
          where f.workspace_id = ${workspaceId} and f.subscriber_id = n.id))
      limit ${max}
    )
    select s.id, s.email, s.first_name, s.last_name, s.created_at
    from matching f
    cross join lateral (select * from subscriber where workspace_id = ${workspaceId} and id = f.id limit 1) s
    order by s.id desc`)
}

type ScannedList = Pick<TraitScan, 'lead' | 'status' | 'before' | 'upTo'>

/** Of these three lists two are empty. `cut` says how much of each is read. */
const listsFrom = (
  workspaceId: number,
  { lead, status, before, upTo }: ScannedList,
  cut: Fragment,
): Fragment => part`
        (select subscriber_id as id from subscriber_trait
         where workspace_id = ${workspaceId} and trait = ${lead}::bigint
           and subscriber_id < ${before ?? end}::uuid and subscriber_id <= ${upTo ?? end}::uuid
         order by subscriber_id desc ${cut})
        union all
        (select id from subscriber
         where ${lead}::bigint is null and id < ${before ?? end}::uuid
           and workspace_id = ${workspaceId}
           and ${ofStatus(status, part`<= (${status}, least(${before ?? end}::uuid, ${upTo ?? end}::uuid))`)}
         order by status desc, id desc ${cut})
        union all
        (select id from subscriber
         where workspace_id = ${workspaceId} and ${lead}::bigint is null and ${status}::text is null
           and id < ${before ?? end}::uuid and id <= ${upTo ?? end}::uuid
         order by id desc ${cut})`

/** The last subscriber of a window that found too few. Null if the list ended. */
export function endOfWindow(
  db: Database,
  workspaceId: number,
  { window, ...scan }: Omit<TraitScan, 'traits' | 'patterns' | 'max'> & { window: number },
): Promise<{ id: string; createdAt: Date } | null> {
  return db.row<{ id: string; createdAt: Date }>(sql`
    select s.id, s.created_at
    from (${listsFrom(workspaceId, scan, part`offset ${window}::int - 1 limit 1`)}) n
    cross join lateral (
      select id, created_at
      from subscriber
      where workspace_id = ${workspaceId} and id = n.id
      limit 1) s`)
}
