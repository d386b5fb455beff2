/** The provider's rate, one for all processes: a row that says when the next message may leave (generic cell rate). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/**
 * Takes up to `wanted` places at the configured rate, or at the lower one in force since the provider throttled; that one
 * grows by a quarter each half minute until it is the configured one again. At most `aheadSeconds`' worth is given ahead: who asks
 * for less of it leaves room to those who ask for more.
 * `perSecond` null: no rate is configured, and what a throttle left of it is forgotten once it has grown a thousandfold.
 */
export async function takePlaces(
  db: Database,
  provider: string,
  perSecond: number | null,
  wanted: number,
  aheadSeconds = 1,
): Promise<number> {
  const granted = await movePlaces(db, provider, perSecond, { wanted, aheadSeconds })
  if (granted !== undefined) return granted
  if (perSecond === null) return wanted
  await db.count(sql`
    insert into provider_rate (provider, per_second, next_free_at) values (${provider}, ${perSecond}, facteur_now())
    on conflict do nothing`)
  return takePlaces(db, provider, perSecond, wanted, aheadSeconds)
}

/** Gives back places that were taken and found no message. */
export async function givePlacesBack(db: Database, provider: string, perSecond: number | null, places: number): Promise<void> {
  await movePlaces(db, provider, perSecond, { wanted: -places, aheadSeconds: 0 })
}

/** Moves the time of the next message by these places, later or (less than none) earlier; undefined when there is no row yet. */
async function movePlaces(
  db: Database,
  provider: string,
  perSecond: number | null,
  { wanted, aheadSeconds }: { wanted: number; aheadSeconds: number },
): Promise<number | undefined> {
  const [row] = await db.rows<{ granted: number }>(sql`
    with held as materialized (
      select provider, next_free_at, facteur_now() as at, per_second, throttled_at from provider_rate where provider = ${provider} for update
    ), grown as materialized (
      select *, greatest(next_free_at, at) as free_at,
        -- Bounded: what grows without an end is beyond any number after a day.
        least(60, greatest(0, floor(extract(epoch from at - throttled_at) / 30)))::float8 as steps
      from held
    ), pace as materialized (
      -- Null is no limit. A quarter more 31 times is a thousandfold.
      select *, case when throttled_at is null or steps > 30 and ${perSecond}::float8 is null then ${perSecond}::float8
                     else least(${perSecond}::float8, per_second * power(1.25::float8, steps)) end as rate
      from grown
    ), share as materialized (
      select *, case when ${wanted}::int < 0 or rate is null then ${wanted}::int
        else greatest(0, least(${wanted}::float8, ceil(extract(epoch from at + make_interval(secs => ${aheadSeconds}) - free_at) * rate)))::int end as granted
      from pace
    ), written as (
      update provider_rate p set
        next_free_at = case when s.rate is null then s.at else s.free_at + make_interval(secs => s.granted / s.rate) end,
        throttled_at = case when s.rate is distinct from ${perSecond}::float8 then s.throttled_at end
      from share s
      where p.provider = s.provider and (s.rate is not null and s.granted <> 0 or s.throttled_at is not null and s.rate is not distinct from ${perSecond}::float8)
    )
    select granted from share`)
  return row?.granted
}

/** Halves the rate in force, at most once in five seconds: one burst of refusals is one throttle. */
export async function lowerRate(db: Database, provider: string, perSecond: number | null): Promise<void> {
  await db.count(sql`
    insert into provider_rate as p (provider, per_second, next_free_at, throttled_at)
    values (${provider}, coalesce(${perSecond}::float8, 50) / 2, facteur_now(), facteur_now())
    on conflict (provider) do update set throttled_at = facteur_now(),
      per_second = greatest(0.1, least(coalesce(${perSecond}::float8, 50), case when p.throttled_at is not null then
        p.per_second * power(1.25::float8, least(60, greatest(0, floor(extract(epoch from facteur_now() - p.throttled_at) / 30)))::float8) end) / 2)
      where coalesce(p.throttled_at < facteur_now() - interval '5 seconds', true)`)
}
