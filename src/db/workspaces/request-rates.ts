/**
 * Requests counted in slots of one second: in any 60 s no more pass than the limit, whatever the
 * processes (semantics 4: Rates).
 */
import { fragment, rowShape } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { movesToNow, fromNewestEnd } from '../../database/planner/moved-rows.ts'

/**
 * One caller's requests of one tick. Of a key: its digest, and the needed permission. Without a
 * valid key: the IP address.
 */
export interface CallerRequests {
  digest: Buffer | null
  address: string | null
  /** Null means any key is enough. */
  scope: string | null
  requests: number
}

/** A caller as the database knows it now, with how many of its requests may pass. */
export interface CountedCaller {
  /** Null when no key has the digest, and for addresses. */
  keyId: string | null
  keyName: string
  keyPrefix: string
  scopes: string[]
  revoked: boolean
  expired: boolean
  /** Null if the key lasts until it is revoked. */
  expiresAt: Date | null
  /** Whether the key's last use was stored more than a minute ago. */
  lastUseStale: boolean
  /**
   * The name of its counter; null when the caller is not counted here: no such key, or one that is
   * revoked or expired.
   */
  bucket: string | null
  /** Null if the counter does not exist; create it and ask again. */
  granted: number | null
  /** Requests that had passed in the last 60 s before these. */
  used: number
  perMinute: number
  /** Seconds since 1970, by the database. */
  now: number
  /** The second of the oldest request counted. */
  oldest: number
  /** Milliseconds until the slot that counted these ends. */
  msLeft: number
}

/**
 * In its place, the statement is of one database alone: Citus locks no row of the first one in a
 * statement that reads a table of all nodes too.
 */
const noWorkspace = fragment`(select null::bigint as id, null::int as rate_per_minute)`
const anyWorkspace = fragment`workspace`

const askedList = rowShape<CallerRequests>(
  't',
  { bytea: ['digest'], text: ['address', 'scope'], int: ['requests'] },
  'ordinal',
)

/**
 * Looks up the callers of one workspace (0: callers without a key) and counts their requests, in
 * one statement; answers in the order of `requests`. Only requests of valid keys with the
 * permission count. The statement locks the counters in the order of their names and then reads the
 * time: no request passes later than the slot that counts it.
 */
export function countRequests(
  db: Database,
  workspaceId: number,
  requests: CallerRequests[],
  addressPerMinute: number,
) {
  // 1. asked, known: each caller with its key, and with the counter that its requests are of.
  // 2. counter: the newest version of each counter, locked in the order of their names.
  // 3. timed: the time, read after the locks.
  // 4. live: what the last minute of each counter holds.
  // 5. share: how many requests of each caller pass, in the order of asked.
  // 6. written: the counters with what passed in the slot of this second.
  return db.rows<CountedCaller>(sql`
    with asked as (
      select * from ${askedList(requests)}
    ), known as materialized (
      select a.ordinal,
        case when coalesce(a.scope = any (k.scopes), true) then a.requests else 0 end as requests, k.id,
        k.name, k.prefix, k.scopes,
        k.revoked_at is not null as revoked, coalesce(k.expires_at <= facteur_now(), false) as expired,
        k.expires_at,
        coalesce(k.last_used_at < facteur_now() - interval '1 minute', true) as stale,
        coalesce(w.rate_per_minute, ${addressPerMinute}::int) as per_minute,
        case when a.digest is null then a.address
             when k.revoked_at is null
             and coalesce(k.expires_at > facteur_now(), true) then k.id::text end as bucket
      from asked a
      left join api_key k on k.workspace_id = ${workspaceId} and k.digest = a.digest
      left join ${workspaceId === 0 ? noWorkspace : anyWorkspace} w on w.id = k.workspace_id
    ), counter as materialized (
      select k.workspace_id, k.bucket, v.newest, r.seconds, r.passed from (
        -- A value of the list, so that the update looks up each counter and does not read all of the
        -- workspace.
        select distinct ${workspaceId}::bigint as workspace_id, bucket
        from known
        where bucket is not null
        order by bucket) k
      cross join lateral (
        select moved_at as newest from request_rate ${fromNewestEnd}
        where workspace_id = ${workspaceId} and bucket = k.bucket order by moved_at desc limit 1) v
      cross join lateral (
        select seconds, passed from request_rate
        where workspace_id = ${workspaceId} and bucket = k.bucket and moved_at >= v.newest
        limit 1
        for update) r
    ), timed as materialized (
      select c.*, floor(epoch)::bigint as second, ceil((1 - epoch + floor(epoch)) * 1000)::int as ms_left
      from (select c.*, extract(epoch from facteur_now()) as epoch from counter c) c
    ), live as materialized (
      select t.workspace_id, t.bucket, t.newest, t.second, t.ms_left, coalesce(sum(s.n), 0)::int as used,
        coalesce(min(s.at), t.second) as oldest,
        coalesce(array_agg(s.at order by s.at) filter (where s.at < t.second), '{}') as seconds,
        coalesce(array_agg(s.n order by s.at) filter (where s.at < t.second), '{}') as passed,
        coalesce(sum(s.n) filter (where s.at >= t.second), 0)::int as passed_now
      from timed t
      -- Slots of a clock that has gone back since would refuse until it comes there again.
      left join lateral unnest(t.seconds, t.passed) as s (at, n)
        on s.at between t.second - 60 and t.second + 60 and s.n > 0
      group by t.workspace_id, t.bucket, t.newest, t.second, t.ms_left
    ), share as materialized (
      select k.ordinal, k.bucket,
        greatest(0,
          least(k.requests, k.per_minute - l.used - coalesce(sum(k.requests) over before, 0)))::int as granted
      from known k join live l on l.bucket = k.bucket
      window before as (partition by k.bucket
        order by k.ordinal rows between unbounded preceding and 1 preceding)
    ), written as (
      update request_rate p
      set seconds = l.seconds || l.second, passed = l.passed || (l.passed_now + s.granted), ${movesToNow}
      from live l
      join (select bucket, sum(granted)::int as granted from share group by bucket) s on s.bucket = l.bucket
      where p.workspace_id = l.workspace_id and p.bucket = l.bucket and p.moved_at >= l.newest
        and s.granted > 0
    )
    select k.id as key_id, k.name as key_name, k.prefix as key_prefix, k.scopes, k.revoked, k.expired,
      k.expires_at, k.stale as last_use_stale,
      k.bucket, s.granted, coalesce(l.used, 0) as used, k.per_minute,
      coalesce(l.second, floor(extract(epoch from facteur_now()))::bigint) as now,
      coalesce(l.oldest, floor(extract(epoch from facteur_now()))::bigint) as oldest,
      coalesce(l.ms_left, 0) as ms_left
    from known k left join live l on l.bucket = k.bucket left join share s on s.ordinal = k.ordinal
    order by k.ordinal`)
}

/** Gives back unused requests of one slot. */
export async function giveBackRequests(
  db: Database,
  workspaceId: number,
  bucket: string,
  second: number,
  count: number,
): Promise<void> {
  await db.count(sql`
    update request_rate
    set passed[array_position(seconds, ${second}::bigint)] = passed[array_position(seconds,
      ${second}::bigint)] - ${count}::int
    where workspace_id = ${workspaceId} and bucket = ${bucket}
      and array_position(seconds, ${second}::bigint) is not null
      and moved_at >= (select moved_at from request_rate ${fromNewestEnd}
        where workspace_id = ${workspaceId} and bucket = ${bucket} order by moved_at desc limit 1)`)
}

/**
 * Creates missing counters; the second of their creation keeps them from being deleted before they
 * count.
 */
export async function makeCounters(
  db: Database,
  workspaceId: number,
  buckets: string[],
): Promise<void> {
  await db.count(sql`
    insert into request_rate (workspace_id, bucket, seconds, passed)
    select ${workspaceId}::bigint, bucket, array[floor(extract(epoch from facteur_now()))::bigint], array[0]
    from unnest(${buckets.toSorted()}::text[]) as t (bucket)
    order by bucket
    on conflict do nothing`)
}
