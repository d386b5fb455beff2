/**
 * Rate limits on sign-in, shared by all processes: tries within a time; for passwords, those that
 * failed or are still running.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SignInLimit {
  bucket: string
  max: number
  /** The time of the limit; a quarter of an hour by default. */
  minutes?: number
}

/**
 * Counts one try in each bucket, before it is checked: concurrent tries cannot pass together.
 * Answers after how many seconds the next try is allowed; 0: now. The time of a bucket begins with
 * its first try, and is no longer after the clock went back.
 */
export function takeTry(db: Database, rateLimits: SignInLimit[]): Promise<number> {
  const sorted = rateLimits.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1))
  const buckets = sorted.map(({ bucket }) => bucket)
  const minutes = sorted.map((rateLimit) => rateLimit.minutes ?? 15)
  return db.onlyValue<number>(sql`
    with counted as (
      insert into sign_in_rate as b (bucket, ends_at, tries)
      select bucket, facteur_now() + minutes * interval '1 minute', 1
      from unnest(${buckets}::text[], ${minutes}::int[]) as t (bucket, minutes)
      on conflict (bucket) do update set
        ends_at = case when b.ends_at <= facteur_now() then excluded.ends_at
          else least(b.ends_at, excluded.ends_at) end,
        tries = case when b.ends_at <= facteur_now() then 1 else b.tries + 1 end
      returning b.bucket, b.ends_at, b.tries
    )
    select coalesce(max(ceil(extract(epoch from c.ends_at - facteur_now()))) filter (where c.tries > t.most),
      0)::int as seconds
    from counted c join unnest(${buckets}::text[], ${sorted.map(({ max }) => max)}::int[]) as t (bucket, most)
      on t.bucket = c.bucket`)
}

/** Takes a try back that was no guess. */
export async function giveBackTry(db: Database, rateLimits: SignInLimit[]): Promise<void> {
  await db.count(sql`
    update sign_in_rate
    set tries = greatest(0, tries - 1)
    where bucket = any (${rateLimits.map(({ bucket }) => bucket)}::text[])`)
}
