/** The provider's rate, one for all processes: a row that says when the next message may leave (generic cell rate). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/**
 * Takes up to `wanted` places at the configured rate, or at the lower one in force since the provider throttled; that one
 * grows back by a quarter each half minute. At most a second's worth is given ahead. `perSecond` null: no rate configured.
 */
export async function takePlaces(db: Database, provider: string, perSecond: number | null, wanted: number): Promise<number> {
  const [row] = await db.rows<{ granted: number }>(sql`
    with held as materialized (
      select provider, greatest(next_free_at, facteur_now()) as free_at, facteur_now() as at, throttled_at,
        case when throttled_at is null then coalesce(${perSecond}::float8, per_second)
             else least(coalesce(${perSecond}::float8, 'infinity'),
                        per_second * power(1.25, floor(extract(epoch from facteur_now() - throttled_at) / 30))) end as rate
      from provider_rate where provider = ${provider} for update
    ), share as materialized (
      select *, greatest(0, least(${wanted}::float8, ceil(extract(epoch from at + interval '1 second' - free_at) * rate)))::int as granted from held
    ), written as (
      update provider_rate p set next_free_at = s.free_at + make_interval(secs => s.granted / s.rate)
      from share s where p.provider = s.provider and s.granted > 0
    )
    select granted from share`)
  if (row) return row.granted
  if (perSecond === null) return wanted
  await db.count(sql`
    insert into provider_rate (provider, per_second, next_free_at) values (${provider}, ${perSecond}, facteur_now())
    on conflict do nothing`)
  return takePlaces(db, provider, perSecond, wanted)
}

/** Halves the rate in force, at most once in five seconds: one burst of refusals is one throttle. */
export async function lowerRate(db: Database, provider: string, perSecond: number | null): Promise<void> {
  await db.count(sql`
    insert into provider_rate as p (provider, per_second, next_free_at, throttled_at)
    values (${provider}, coalesce(${perSecond}::float8, 50) / 2, facteur_now(), facteur_now())
    on conflict (provider) do update set per_second = greatest(0.1, p.per_second / 2), throttled_at = facteur_now()
      where coalesce(p.throttled_at < facteur_now() - interval '5 seconds', true)`)
}
