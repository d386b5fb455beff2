/** Workspaces: the owners of keys, senders, messages and suppressions. */
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

export interface WorkspaceRow {
  id: number
  slug: string
  name: string
  plan: string
  ratePerMinute: number
  createdAt: Date
}

export function insertWorkspace(
  db: Database,
  workspace: { slug: string; name: string; plan: string; quotaOf: number | null; cell: number },
): Promise<WorkspaceRow | null> {
  return db.row<WorkspaceRow>(sql`
    insert into workspace (slug, name, plan, quota_of, cell, created_at)
    values (${workspace.slug}, ${workspace.name}, ${workspace.plan}, ${workspace.quotaOf}, ${workspace.cell}, facteur_now())
    on conflict (slug) do nothing
    returning id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt"`)
}

export function allWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace order by id`)
}

/** Workspaces by their numbers, after one on. */
export function workspacePage(db: Database, page: { after: number; max: number }): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace
    where id > ${page.after} order by id limit ${page.max}`)
}

/** By number or by slug. */
export function findWorkspace(db: Database, idOrSlug: string): Promise<WorkspaceRow | null> {
  return db.row<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace
    where slug = ${idOrSlug} or id::text = ${idOrSlug}`)
}

export async function setRatePerMinute(db: Database, workspaceId: number, ratePerMinute: number): Promise<void> {
  await db.count(sql`update workspace set rate_per_minute = ${ratePerMinute} where id = ${workspaceId}`)
}
