/**
 * The monthly quota of a campaign: it reserves its recipients at once and gives back those that
 * were not sent. Workspaces that share a quota are on one plan, and debit the row of the first of
 * them (`quota_of`).
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { movesSeldom } from '../../database/planner/moved-rows.ts'
import { fromQuotaQ, isQuotaP } from '../workspaces/quota-row.ts'

/** The month that was debited (its first day), or how little is left. */
export type Reservation = { reserved: true; month: string } | { reserved: false; remaining: number }

const ofPlan = fromQuotaQ({ payer: fragment`plan.payer`, month: fragment`month.first` })
const isDebited = isQuotaP({
  payer: fragment`(select payer from plan)`,
  month: fragment`(select first from month)`,
  movedAt: fragment`(select moved_at from place)`,
})

/**
 * Debits `recipients` from the current month, all or nothing. Call it last in its transaction:
 * every send of the workspace waits for the row that it locks. Where it is not reserved, roll the
 * transaction back: a month that began meanwhile was debited beyond its quota.
 */
export async function reserveQuota(
  tx: Database,
  workspaceId: number,
  recipients: number,
): Promise<Reservation> {
  const row = await tx.onlyRow<{ month: string; remaining: number | null; reserved: boolean }>(sql`
    with month as materialized (
      select date_trunc('month', facteur_now() at time zone 'utc')::date as first
    ), plan as materialized (
      select coalesce(w.quota_of, w.id) as payer, p.monthly_quota
      from workspace w
      join plan p on p.name = w.plan
      where w.id = ${workspaceId}
    ), place as materialized (
      select (select q.moved_at ${ofPlan}) as moved_at from month, plan
    ), debited as (
      update quota_usage p set used = p.used + ${recipients}::int8, ${movesSeldom}
      where ${isDebited}
        and coalesce(p.used + ${recipients}::int8 <= (select monthly_quota from plan), true)
      returning used
    ), first_of_month as (
      insert into quota_usage (workspace_id, month, used)
      select plan.payer, month.first, ${recipients}::int8 from month, plan, place
      where place.moved_at is null and coalesce(${recipients}::int8 <= plan.monthly_quota, true)
      on conflict (workspace_id, month) do update set used = quota_usage.used + excluded.used
      returning used
    )
    select month.first::text as month, exists (
        select from debited union all
        select from first_of_month f where coalesce(f.used <= plan.monthly_quota, true)) as reserved,
      greatest(0, plan.monthly_quota - coalesce((select q.used ${ofPlan}), 0)) as remaining
    from month, plan`)
  return row.reserved
    ? { reserved: true, month: row.month }
    : { reserved: false, remaining: row.remaining ?? 0 }
}

/**
 * Gives back to the month that was debited, never more than was debited there: the workspace may
 * have used another's quota until now.
 */
export async function giveBackQuota(
  tx: Database,
  workspaceId: number,
  month: string,
  recipients: number,
): Promise<void> {
  await tx.count(sql`
    update quota_usage q set used = greatest(0, q.used - ${recipients}) from workspace w
    where w.id = ${workspaceId} and q.workspace_id = coalesce(w.quota_of, w.id) and q.month = ${month}::date`)
}
