/** Plans: a name and how many recipients a month it allows; the operator's. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** Defines a plan without a limit, unless it is there. */
export async function insertPlan(db: Database, name: string): Promise<void> {
  await db.count(sql`insert into plan (name, monthly_quota) values (${name}, null) on conflict do nothing`)
}

/** Defines a plan, or changes its number. */
export async function upsertPlan(db: Database, name: string, monthlyQuota: number | null): Promise<void> {
  await db.count(sql`
    insert into plan (name, monthly_quota) values (${name}, ${monthlyQuota})
    on conflict (name) do update set monthly_quota = excluded.monthly_quota`)
}

export async function setPlan(db: Database, workspaceId: number, name: string): Promise<void> {
  await db.count(sql`update workspace set plan = ${name} where id = ${workspaceId}`)
}

/** How many workspaces are on a plan. */
export async function countOnPlan(db: Database, name: string): Promise<number> {
  const [row] = await db.rows<{ workspaces: number }>(sql`select count(*) as workspaces from workspace where plan = ${name}`)
  return row?.workspaces ?? 0
}
