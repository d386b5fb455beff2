/**
 * Pages of subscribers, newest first, all or by a search; and the search index, which a worker
 * fills.
 */
import { limits } from '../../contract/limits.ts'
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { subscriberRowColumns, type SubscriberRow } from './subscribers.ts'

/** A page of a list: entries with smaller identifiers than `before`. */
export interface SubscriberPage {
  status: SubscriberStatus | null
  max: number
  before: string | null
}

/** After every identifier there can be. */
export const endOfIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Of its two lists, by status and without, the other is empty; the same holds for the functions
 * below.
 */
export function subscriberPage(
  db: Database,
  workspaceId: number,
  page: SubscriberPage,
): Promise<(SubscriberRow & { uncutCount: number })[]> {
  return db.rows<SubscriberRow & { uncutCount: number }>(sql`
    ${fittingPage} (
        (select * from subscriber
         where workspace_id = ${workspaceId} and ${page.status}::text is null
           and id < ${page.before ?? endOfIds}::uuid
         order by id desc
         limit ${page.max})
        union all
        (select * from subscriber
         where workspace_id = ${workspaceId}
           and ${ofStatus(page.status, part`< (${page.status}, ${page.before ?? endOfIds}::uuid)`)}
         order by status desc, id desc
         limit ${page.max})
      ) ${endOfPage}`)
}

/**
 * Subscribers of a status, to be ordered by status and id. Not by an equality: where all of them
 * were subscribed when the planner looked, it would look for any other status among all, by the
 * primary key.
 */
export const ofStatus = (status: SubscriberStatus | null, location: Fragment): Fragment =>
  part`status >= ${status} and (status, id) ${location}`

/** Rows beyond the bytes of a page are not read, except the first. */
const fittingPage = fragment`select uncut_count::int as uncut_count, ${subscriberRowColumns}
    from (
      select page.*, count(*) over () as uncut_count, row_number() over nearest as line,
        sum(octet_length(fields::text) + octet_length(array_to_string(tags, '","'))) over nearest as bytes
      from`
const endOfPage = fragment`page
      window nearest as (order by id desc rows unbounded preceding)
    ) summed
    where line = 1 or bytes <= ${limits.pageBytesMax}
    order by id desc`

/**
 * The columns of a found subscriber that comparing and ordering needs. `subscribersOf` reads the
 * rest.
 */
export type FoundSubscriber = Pick<
  SubscriberRow,
  'id' | 'email' | 'firstName' | 'lastName' | 'createdAt'
>

/**
 * These subscribers, newest first: as many as fit a page, and one at least. `uncutCount`: how many of
 * them there are.
 */
export function subscribersOf(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<(SubscriberRow & { uncutCount: number })[]> {
  return db.rows<SubscriberRow & { uncutCount: number }>(sql`
    ${fittingPage} unnest(${ids}::uuid[]) as wanted (wanted_id)
      cross join lateral (
        select *
        from subscriber
        where workspace_id = ${workspaceId} and id = wanted_id
        limit 1) ${endOfPage}`)
}

/** The newest subscribers that the index lacks, or has by a previous name. */
export function unsearchedPage(
  db: Database,
  workspaceId: number,
  { status, max, before }: SubscriberPage,
): Promise<FoundSubscriber[]> {
  return db.rows<FoundSubscriber>(sql`
    select s.id, s.email, s.first_name, s.last_name, s.created_at
    from (
      select subscriber_id as id from subscriber_search_pending
      where workspace_id = ${workspaceId} and subscriber_id < ${before ?? endOfIds}::uuid
      order by subscriber_id desc
      limit ${max}
    ) n
    cross join lateral (select * from subscriber where workspace_id = ${workspaceId} and id = n.id limit 1) s
    where ${status}::text is null or s.status = ${status}`)
}

/** The text to search for (core/search-text.ts). */
export interface SearchNeedle {
  /** Patterns of LIKE; one of them matches. */
  patterns: string[]
  /** Trigrams that are all in a match. */
  grams: number[]
}

/**
 * How many of one in 128 subscribers match, up to `max`: whether the text is common. A comparison
 * that is true of the workspace rather than by it keeps the primary key out: its rows may be a
 * million.
 */
export function countSample(
  db: Database,
  workspaceId: number,
  { grams, patterns }: SearchNeedle,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    select count(*) as count from (
      select 1 from subscriber_search
      where grams @> ${grams}::int[] and (get_byte(uuid_send(subscriber_id), 15) & 127) = 0
        and (workspace_id = ${workspaceId}) is true and haystack like any (${patterns}::text[])
      limit ${max}
    ) sample`)
}

/** Finds all matches of the index, and then the page among them: for rare texts. */
export function searchIndexed(
  db: Database,
  workspaceId: number,
  { grams, patterns }: SearchNeedle,
  { status, max, before, traits = [] }: SubscriberPage & { traits?: number[] },
): Promise<FoundSubscriber[]> {
  return db.rows<FoundSubscriber>(sql`
    with matching as materialized (
      select subscriber_id as id from subscriber_search
      where grams @> ${grams}::int[] and (workspace_id = ${workspaceId}) is true
        and haystack like any (${patterns}::text[])
        and coalesce(traits, '{}') @> ${traits}::bigint[]
    )
    select s.id, s.email, s.first_name, s.last_name, s.created_at
    from (
      select id
      from matching
      where id < ${before ?? endOfIds}::uuid
      order by id desc
      limit case when ${status}::text is null then ${max}::int end) f
    -- One look-up by key each: a join might read every subscriber.
    cross join lateral (select * from subscriber where workspace_id = ${workspaceId} and id = f.id limit 1) s
    where ${status}::text is null or s.status = ${status}
    order by s.id desc limit ${max}`)
}

/** The texts by which a subscriber is found. */
export interface SearchedText extends Pick<
  SubscriberRow,
  'id' | 'email' | 'firstName' | 'lastName' | 'tags' | 'fields' | 'source'
> {
  /** The traits that the index has of this subscriber. */
  traits: number[]
}

/** Takes up to `max` notes of subscribers to index, in the transaction that writes the index. */
export function takeUnsearched(tx: Database, workspaceId: number, max: number): Promise<string[]> {
  return tx.column<string>(sql`
    delete from subscriber_search_pending where workspace_id = ${workspaceId} and subscriber_id = any (array(
      select subscriber_id
      from subscriber_search_pending
      where workspace_id = ${workspaceId}
      order by subscriber_id
      limit ${max}
      for update skip locked
    ))
    returning subscriber_id as id`)
}

/**
 * The texts of these subscribers, who are not erased before the transaction ends. Read after the
 * notes are taken, so that they are complete.
 */
export function searchedTexts(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<SearchedText[]> {
  return tx.rows<SearchedText>(sql`
    select s.id, s.email, s.first_name, s.last_name, s.tags, s.fields, s.source,
      coalesce((select f.traits
        from subscriber_search f
        where f.workspace_id = ${workspaceId} and f.subscriber_id = s.id),
        '{}')::float8[] as traits
    from subscriber s
    where s.workspace_id = ${workspaceId} and s.id = any (${ids}::uuid[]) for key share of s`)
}

export interface SearchEntry {
  id: string
  haystack: string
  grams: number[]
  traits: number[]
}

/** Writes the index entries of subscribers; unchanged ones are left alone. */
export async function writeSearched(
  tx: Database,
  workspaceId: number,
  entries: SearchEntry[],
): Promise<void> {
  const [grams, traits] = [
    entries.map((entry) => entry.grams),
    entries.map((entry) => entry.traits),
  ]
  await tx.count(sql`
    insert into subscriber_search as s (workspace_id, subscriber_id, haystack, grams, traits)
    select ${workspaceId}, t.id, t.haystack,
      (${listText(grams.flat())}::int[])[t.first : t.first + t.length - 1],
      (${listText(traits.flat())}::bigint[])[t.first_trait : t.first_trait + t.traits - 1]
    from unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ haystack }) => haystack)}::text[],
                ${firstsOf(grams)}::int[], ${grams.map((list) => list.length)}::int[],
                ${firstsOf(traits)}::int[], ${traits.map((list) => list.length)}::int[])
      as t (id, haystack, first, length, first_trait, traits)
    order by t.id
    on conflict (workspace_id, subscriber_id) do update set haystack = excluded.haystack,
      grams = excluded.grams, traits = excluded.traits
      where s.haystack <> excluded.haystack or s.traits is distinct from excluded.traits`)
}

const listText = (numbers: number[]): string => `{${numbers.join()}}`

/** The position of each list, counted from 1, when all are concatenated. */
function firstsOf(lists: number[][]): number[] {
  let taken = 0
  return lists.map((list) => (taken += list.length) - list.length + 1)
}

/**
 * Sorts into the index what it holds unsorted, which each search reads through (PostgreSQL: GIN
 * fast update).
 */
export async function sortSearchIndex(db: Database): Promise<void> {
  await db.rows(
    sql`select gin_clean_pending_list('subscriber_grams'), gin_clean_pending_list('subscriber_grams_sample')`,
  )
}
