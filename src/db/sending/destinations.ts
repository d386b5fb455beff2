/**
 * Throttles and circuit breakers of destinations that gave trouble, shared by all processes and all
 * workspaces: a mail host treats all workspaces' mail alike.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** Longer than any pause that an answer asks for (receivers.json). */
export const mattersFor = '6 hours'

export interface DestinationRow {
  name: string
  throttle: { perSecond: number; connections: number; ageMs: number } | null
  circuit: { failures: number; openMs: number; response: string | null }
  changedAt: string
}

/**
 * Destinations that changed since `since`, in order. Null means all that still matter. The list
 * starts a little earlier, because a change may commit after later ones.
 */
export async function destinationsChanged(
  db: Database,
  since: string | null,
): Promise<DestinationRow[]> {
  interface Row {
    name: string
    perSecond: number | null
    connections: number | null
    ageMs: number | null
    failures: number
    openMs: number
    response: string | null
    changedAt: string
  }
  const rows = await db.rows<Row>(sql`
    select name, per_second, connections,
      extract(epoch from facteur_now() - throttled_at)::float8 * 1000 as age_ms,
      failures,
        greatest(0, coalesce(extract(epoch from open_until - facteur_now()), 0))::float8 * 1000 as open_ms,
        response,
      changed_at::text
    from destination
    where changed_at > coalesce(${since}::timestamptz - interval '3 seconds',
      facteur_now() - ${mattersFor}::interval)
    order by changed_at limit 5000`)
  return rows.map(
    ({ name, perSecond, connections, ageMs, failures, openMs, response, changedAt }) => ({
      name,
      throttle:
        perSecond === null || connections === null || ageMs === null
          ? null
          : { perSecond, connections, ageMs },
      circuit: { failures, openMs, response },
      changedAt,
    }),
  )
}

export interface TroubledDestination {
  name: string
  /** Null if it asked for no slower pace within the time that was asked for. */
  slowed: { perSecond: number; connections: number; at: Date } | null
  /** Null if mail is sent to it. */
  away: { until: Date; response: string | null } | null
}

/**
 * Destinations that asked for a slower pace within `slowedMs`, or that nothing is sent to for now;
 * the latest first.
 */
export async function troubledDestinations(
  db: Database,
  { slowedMs, max }: { slowedMs: number; max: number },
): Promise<TroubledDestination[]> {
  interface Row {
    name: string
    perSecond: number | null
    connections: number | null
    slowedAt: Date | null
    awayUntil: Date | null
    response: string | null
  }
  const rows = await db.rows<Row>(sql`
    select name, per_second, connections, response,
      case
        when throttled_at > facteur_now() - make_interval(secs => ${slowedMs / 1000})
        then throttled_at end as slowed_at,
      case when open_until > facteur_now() then open_until end as away_until
    from destination
    where changed_at > facteur_now() - ${mattersFor}::interval
      and (throttled_at > facteur_now() - make_interval(secs => ${slowedMs / 1000})
      or open_until > facteur_now())
    order by changed_at desc limit ${max}`)
  return rows.map(({ name, perSecond, connections, slowedAt, awayUntil, response }) => ({
    name,
    slowed:
      slowedAt === null || perSecond === null || connections === null
        ? null
        : { perSecond, connections, at: slowedAt },
    away: awayUntil && { until: awayUntil, response },
  }))
}

/**
 * Stores that a destination asked for a slower pace: messages a second, and connections of each
 * process. The lowest value of five seconds stays.
 */
export async function storeThrottle(
  db: Database,
  { name, perSecond, connections }: { name: string; perSecond: number; connections: number },
): Promise<void> {
  await db.count(sql`
    insert into destination as d (name, per_second, connections, throttled_at, next_free_at, changed_at)
    values (${name}, ${perSecond}, ${connections}, facteur_now(), facteur_now(), facteur_now())
    on conflict (name) do update set changed_at = facteur_now(), throttled_at = facteur_now(),
      per_second = case when d.throttled_at > facteur_now() - interval '5 seconds'
        then least(d.per_second, excluded.per_second) else excluded.per_second end,
      connections = case when d.throttled_at > facteur_now() - interval '5 seconds'
        then least(d.connections, excluded.connections) else excluded.connections end`)
}

/**
 * Stores that a destination cannot be reached, or (no failures) answers again. A recovery writes
 * only where a row is.
 */
export async function storeCircuit(
  db: Database,
  {
    name,
    failures,
    openMs,
    response,
  }: { name: string; failures: number; openMs: number; response: string | null },
): Promise<void> {
  if (failures === 0) {
    await db.count(sql`
      update destination set failures = 0, open_until = null, response = null, changed_at = facteur_now()
      where name = ${name} and failures > 0`)
    return
  }
  await db.count(sql`
    insert into destination as d (name, next_free_at, failures, open_until, response, changed_at)
    values (${name}, facteur_now(), ${failures}, facteur_now() + make_interval(secs => ${openMs / 1000}),
      ${response}, facteur_now())
    on conflict (name) do update set failures = excluded.failures, response = excluded.response,
      changed_at = facteur_now(),
      open_until = greatest(d.open_until, excluded.open_until)`)
}

/**
 * Takes up to `count` permits of a throttled destination (generic cell rate), at most
 * `aheadSeconds`' worth ahead.
 */
export async function takeDestinationPermits(
  db: Database,
  request: { name: string; perSecond: number; count: number; aheadSeconds: number },
): Promise<number> {
  const { name, perSecond, count, aheadSeconds } = request
  const [row] = await db.rows<{ granted: number }>(sql`
    with locked as materialized (
      select greatest(next_free_at, facteur_now()) as free_at, facteur_now() as at
      from destination
      where name = ${name}
      for update
    ), share as materialized (
      select free_at,
        greatest(0, least(
          ${count}::float8,
          ceil(
            extract(epoch from at + make_interval(secs => ${aheadSeconds}) - free_at) * ${perSecond}::float8
          )
        ))::int as granted
      from locked
    ), written as (
      update destination d
      set next_free_at = s.free_at + make_interval(secs => s.granted / ${perSecond}::float8)
      from share s where d.name = ${name} and s.granted > 0
    )
    select granted from share`)
  // No row yet: the process that found the throttle has not written it, and one message passes
  // meanwhile.
  return row?.granted ?? 1
}
