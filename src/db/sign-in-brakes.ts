/** Brakes on signing in, one for all processes: tries within a quarter of an hour that failed or have not ended. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface Brake {
  bucket: string
  most: number
}

/**
 * Counts one try in each bucket, before it is judged: tries at the same time cannot pass together. Answers after how many seconds
 * one may try again; 0: now. A quarter of an hour begins with its first try.
 */
export async function takeTry(db: Database, brakes: Brake[]): Promise<number> {
  const sorted = brakes.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1))
  const [row] = await db.rows<{ seconds: number }>(sql`
    with counted as (
      insert into sign_in_brake as b (bucket, since, tries)
      select bucket, facteur_now(), 1 from unnest(${sorted.map(({ bucket }) => bucket)}::text[]) as t (bucket)
      on conflict (bucket) do update set
        since = case when b.since <= facteur_now() - interval '15 minutes' then facteur_now() else b.since end,
        tries = case when b.since <= facteur_now() - interval '15 minutes' then 1 else b.tries + 1 end
      returning b.bucket, b.since, b.tries
    )
    select coalesce(max(ceil(extract(epoch from c.since + interval '15 minutes' - facteur_now()))) filter (where c.tries > t.most), 0)::int as seconds
    from counted c join unnest(${sorted.map(({ bucket }) => bucket)}::text[], ${sorted.map(({ most }) => most)}::int[]) as t (bucket, most)
      on t.bucket = c.bucket`)
  return row?.seconds ?? 0
}

/** A try that was no guess does not count. */
export async function giveBackTry(db: Database, brakes: Brake[]): Promise<void> {
  await db.count(sql`
    update sign_in_brake set tries = greatest(0, tries - 1) where bucket = any (${brakes.map(({ bucket }) => bucket)}::text[])`)
}
