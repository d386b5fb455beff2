/** The operator's plans: a name, and how many recipients a month it allows. */
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** Defines a plan without a limit, unless it exists. */
export async function insertPlan(db: Database, name: string): Promise<void> {
  await db.count(
    sql`insert into ${home}plan (name, monthly_quota) values (${name}, null) on conflict do nothing`,
  )
}

/** Defines a plan, or changes its number. */
export async function upsertPlan(
  db: Database,
  name: string,
  monthlyQuota: number | null,
): Promise<void> {
  await db.count(sql`
    insert into ${home}plan (name, monthly_quota) values (${name}, ${monthlyQuota})
    on conflict (name) do update set monthly_quota = excluded.monthly_quota`)
}

/**
 * Changes the plan of a workspace and of those that share its quota. A workspace that shared
 * another's has its own from now on.
 */
export async function updatePlan(db: Database, workspaceId: number, name: string): Promise<void> {
  await db.count(sql`
    update ${home}workspace
    set plan = ${name}, quota_of = case when id = ${workspaceId} then null else quota_of end
    where id = ${workspaceId} or quota_of = ${workspaceId}`)
}

/** The quota of a workspace, locked for the transaction: its plan, and how many share it. */
export async function lockQuota(
  tx: Database,
  workspaceId: number,
): Promise<{ payer: number; plan: string; sharing: number }> {
  // One after the other: transactions that begin together would not see each other.
  const tariff = await tx.onlyRow<{ payer: number; plan: string }>(sql`
    select id as payer, plan from workspace
    where id = (select coalesce(quota_of, id) from workspace where id = ${workspaceId}) for no key update`)
  const others = await tx.onlyValue<number>(
    sql`select count(*)::int from workspace where quota_of = ${tariff.payer}`,
  )
  return { ...tariff, sharing: 1 + others }
}

export function countOnPlan(db: Database, name: string): Promise<number> {
  return db.onlyValue<number>(
    sql`select count(*) as workspaces from workspace where plan = ${name}`,
  )
}
