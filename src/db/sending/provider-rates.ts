/**
 * The provider's rate, one for all processes: a row that says when the next message may leave
 * (generic cell rate).
 *
 * A provider that asks for a slower pace begins an episode, which ends after a minute without such
 * a refusal:
 * 1. `per_second` is half of the pace that all processes measured; it stays so for half a minute
 *    after the last refusal.
 * 2. Then it grows evenly, and reaches `former_per_second`, the measured pace, a minute after the
 *    last refusal.
 * 3. Refusals that still come after half a minute at that pace halve it again.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { movesSeldom, fromNewestEnd } from '../../database/planner/moved-rows.ts'

/**
 * Takes up to `count` permits at the configured rate, or at the lower one in force while the
 * provider throttles. It gives at most `aheadSeconds`' worth ahead; callers who ask for less of it
 * leave room to the others. A null `perSecond` means no rate is configured.
 */
export async function takePermits(
  db: Database,
  provider: string,
  perSecond: number | null,
  count: number,
  aheadSeconds = 1,
): Promise<number> {
  const granted = await movePermits(db, provider, perSecond, { count, aheadSeconds })
  if (granted !== undefined) return granted
  if (perSecond === null) return count
  await db.count(sql`
    insert into provider_rate (provider, per_second, next_free_at)
    values (${provider}, ${perSecond}, facteur_now())
    on conflict do nothing`)
  return takePermits(db, provider, perSecond, count, aheadSeconds)
}

/** Gives back permits for which no message was found. */
export async function returnPermits(
  db: Database,
  provider: string,
  perSecond: number | null,
  permits: number,
): Promise<void> {
  await movePermits(db, provider, perSecond, { count: -permits, aheadSeconds: 0 })
}

/**
 * Moves the time of the next message by these permits, later or (negative) earlier; undefined when
 * there is no row yet.
 */
async function movePermits(
  db: Database,
  provider: string,
  perSecond: number | null,
  { count, aheadSeconds }: { count: number; aheadSeconds: number },
): Promise<number | undefined> {
  const [row] = await db.rows<{ granted: number }>(sql`
    with newest as materialized (
      select moved_at
      from provider_rate ${fromNewestEnd}
      where provider || '' = ${provider}
      order by moved_at desc
      limit 1
    ), locked as materialized (
      select provider, next_free_at, facteur_now() as at, per_second, former_per_second, throttled_at
      from provider_rate
      where provider || '' = ${provider} and moved_at >= (select moved_at from newest)
      for update
    ), quiet as materialized (
      select *, greatest(next_free_at, at) as free_at,
        extract(epoch from at - throttled_at)::float8 as quiet_seconds
      from locked
    ), pace as materialized (
      -- Null is no limit.
      select *,
        case when throttled_at is null or former_per_second is null
          or quiet_seconds >= 60 then ${perSecond}::float8
        else least(${perSecond}::float8, per_second
          + greatest(0, former_per_second - per_second) * greatest(0, quiet_seconds - 30) / 30) end as rate
      from quiet
    ), share as materialized (
      select *,
        case
          when ${count}::int < 0 or rate is null then ${count}::int
          else greatest(0, least(
            ${count}::float8,
            ceil(extract(epoch from at + make_interval(secs => ${aheadSeconds}) - free_at) * rate)
          ))::int
        end as granted
      from pace
    ), written as (
      update provider_rate p set
        next_free_at = case when s.rate is null then s.at
          else (select s.free_at + make_interval(secs => s.granted / s.rate)) end,
        throttled_at = case when s.quiet_seconds < 60 then s.throttled_at end, ${movesSeldom}
      from share s
      where p.provider || '' = ${provider} and p.moved_at >= (select moved_at from newest)
        and (s.rate is not null and s.granted <> 0 or s.quiet_seconds >= 60)
    )
    select granted from share`)
  return row?.granted
}

/**
 * The pace that one process measured at a provider. Null or 0: no mail was accepted in a whole
 * second lately.
 */
export interface MeasuredPace {
  provider: string
  process: string
  perSecond: number | null
}

/** Stores the pace that this process measured, and deletes those of processes that are gone. */
export async function storePace(
  db: Database,
  { provider, process, perSecond }: MeasuredPace,
): Promise<void> {
  await db.count(sql`
    with gone as (
      delete from provider_pace
      where provider = ${provider} and process <> ${process}
        and measured_at < facteur_now() - interval '1 hour'
    )
    insert into provider_pace as p (provider, process, per_second, measured_at)
    values (${provider}, ${process}, ${perSecond}, facteur_now())
    on conflict (provider, process) do update set per_second = excluded.per_second,
      measured_at = excluded.measured_at`)
}

export interface Lowered {
  /** Whether this refusal is the first of its episode. */
  isFirst: boolean
  /** Null while no pace is measured: the rate stays then. */
  formerPerSecond: number | null
  perSecond: number
}

/**
 * Lowers the rate because the provider asks for it: half of what all processes measured in the last
 * ten seconds, at least one message a second. It does so once in an episode, and again only after
 * half a minute at that pace. `configured`: the operator's rate; null is no limit.
 */
export function lowerRate(
  db: Database,
  measured: MeasuredPace,
  configured: number | null,
): Promise<Lowered> {
  const { provider, process, perSecond } = measured
  return db.onlyRow<Lowered>(sql`
    with others as materialized (
      select coalesce(sum(per_second), 0) as per_second, facteur_now() as at from provider_pace
      where provider = ${provider} and process <> ${process}
        and measured_at > facteur_now() - interval '10 seconds'
    ), measured as materialized (
      -- A pace of 0 is no measurement: a pace lowered from it could never grow again.
      select at, case when coalesce(${perSecond}::float8, 0) + per_second > 0
        then least(${configured}::float8, coalesce(${perSecond}::float8, 0) + per_second) end as pace
      from others
    ), lowered as (
      insert into provider_rate as p
        (provider, per_second, next_free_at, throttled_at, throttled_since, former_per_second, lowered_at)
      select ${provider}, greatest(1, coalesce(pace / 2, ${configured}::float8, 1e6)), at, at, at, pace, at
      from measured
      on conflict (provider) do update set
        throttled_at = excluded.throttled_at,
        throttled_since = case when p.throttled_at > excluded.throttled_at - interval '1 minute'
          then coalesce(p.throttled_since, p.throttled_at) else excluded.throttled_since end,
        former_per_second = case when p.throttled_at > excluded.throttled_at - interval '1 minute'
          then coalesce(p.former_per_second, excluded.former_per_second) else excluded.former_per_second end,
        per_second = case
          when p.throttled_at > excluded.throttled_at - interval '1 minute'
          and p.former_per_second is not null then
            case when p.throttled_at > excluded.throttled_at - interval '30 seconds'
              and p.lowered_at <= excluded.throttled_at - interval '30 seconds'
              then greatest(1, p.per_second / 2)
              else p.per_second end
          else excluded.per_second end,
        -- A pace that had begun to grow falls back, and waits half a minute again.
        lowered_at = case
          when p.throttled_at > excluded.throttled_at - interval '30 seconds'
          and p.former_per_second is not null
            and p.lowered_at > excluded.throttled_at - interval '30 seconds' then p.lowered_at
          else excluded.lowered_at end
      returning throttled_since, former_per_second, per_second
    )
    select l.throttled_since = m.at as is_first, l.former_per_second, l.per_second
    from lowered l, measured m`)
}

export interface ThrottledProvider {
  provider: string
  /**
   * The lowered pace until it grows again, and the one before. Null if not measured, the provider
   * is not throttled.
   */
  perSecond: number | null
  formerPerSecond: number | null
  since: Date
  /** When the former pace is reached again, unless the provider asks again. */
  until: Date
}

/**
 * Providers that asked for a slower pace within the last minute: all of them, or the one of this
 * name.
 */
export function throttledProviders(
  db: Database,
  provider: string | null,
): Promise<ThrottledProvider[]> {
  return db.rows<ThrottledProvider>(sql`
    select provider, case when former_per_second is not null then per_second end as per_second,
      former_per_second, coalesce(throttled_since, throttled_at) as since,
      throttled_at + interval '1 minute' as until
    from provider_rate
    where (${provider}::text is null or provider = ${provider})
      and throttled_at > facteur_now() - interval '1 minute'
    order by provider`)
}
