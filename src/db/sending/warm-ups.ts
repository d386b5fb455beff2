/**
 * Warm-ups of sending domains: how much may leave today, and how much has; each counts days of 24
 * hours from its own start.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** The workspace and its sending domain. */
export interface WarmUpKey {
  workspaceId: number
  domain: string
}

export interface WarmUpPlan {
  firstDay: number
  /** Each day allows this many times the day before. */
  growth: number
  /** The warm-up ends on the day that may have this many. */
  finishAt: number
}

export interface WarmUpRow extends WarmUpPlan {
  startedAt: Date
  /** 0 on the first. */
  day: number
  allowance: number
  used: number
  isOver: boolean
}

/** Null if the domain is not warmed up. */
export function warmUpOf(
  db: Database,
  { workspaceId, domain }: WarmUpKey,
): Promise<WarmUpRow | null> {
  return db.row<WarmUpRow>(sql`
    select first_day, growth, finish_at, started_at, today as day,
      allowance, case when day = today then used else 0 end as used, allowance >= finish_at as is_over
    from warm_up,
      lateral (select floor(extract(epoch from facteur_now() - started_at) / 86400)::int as today) t,
      lateral (select least(finish_at,
        floor(first_day * power(growth, least(today, 60))))::int as allowance) a
    where workspace_id = ${workspaceId} and domain = ${domain}`)
}

/** Starts a warm-up again from its first day. False if the workspace has no such domain. */
export function startWarmUp(
  db: Database,
  { workspaceId, domain }: WarmUpKey,
  plan: WarmUpPlan,
): Promise<boolean> {
  return db.changes(sql`
    with matching as materialized (
      select name, facteur_now() as at from domain where workspace_id = ${workspaceId} and name = ${domain}
    )
    insert into warm_up (workspace_id, domain, started_at, first_day, growth, finish_at)
    select ${workspaceId}::bigint, name, at, ${plan.firstDay}::int, ${plan.growth}::float8,
      ${plan.finishAt}::int
    from matching
    on conflict (workspace_id, domain) do update set started_at = excluded.started_at,
      first_day = excluded.first_day,
      growth = excluded.growth, finish_at = excluded.finish_at, day = 0, used = 0`)
}

/** False if there was none. */
export function endWarmUp(db: Database, { workspaceId, domain }: WarmUpKey): Promise<boolean> {
  return db.changes(
    sql`delete from warm_up where workspace_id = ${workspaceId} and domain = ${domain}`,
  )
}

/**
 * Counts `counted` that left in any case (negative: did not leave after all), and takes up to
 * `count` of what `share` of the day has left. Answers how many, and how many seconds are left of
 * the day; undefined where there is no warm-up.
 */
export async function takeFromWarmUp(
  db: Database,
  { workspaceId, domain }: WarmUpKey,
  { count, counted, share }: { count: number; counted: number; share: number },
): Promise<{ granted: number; secondsLeft: number } | undefined> {
  const [row] = await db.rows<{ granted: number; secondsLeft: number }>(sql`
    with locked as materialized (
      select *, extract(epoch from facteur_now() - started_at)::float8 / 86400 as days from warm_up
      where workspace_id = ${workspaceId} and domain = ${domain} for update
    ), today as materialized (
      select floor(days)::int as today, (1 - (days - floor(days))) * 86400 as seconds_left, finish_at,
        least(finish_at, first_day * power(growth, least(floor(days), 60))) as allowance,
        greatest(0, case when day = floor(days)::int then used else 0 end + ${counted}::int) as used
      from locked
    ), given as materialized (
      select *, case when allowance >= finish_at then ${count}::int
                     else greatest(0,
                     least(${count}::int, floor(allowance * ${share}::float8)::int - used)) end as granted
      from today
    ), written as (
      update warm_up w set day = g.today, used = g.used + g.granted
      from given g where w.workspace_id = ${workspaceId} and w.domain = ${domain}
    )
    select granted, seconds_left from given`)
  return row
}

/** The warm-up left nothing to this campaign: its queue's life begins when it has permits again. */
export async function markWarmed(
  db: Database,
  workspaceId: number,
  campaignId: string,
): Promise<void> {
  await db.count(sql`
    update campaign_run
    set warmed_at = facteur_now()
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
}
