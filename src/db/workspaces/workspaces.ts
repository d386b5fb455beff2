/** Workspaces: the owners of keys, senders, messages and suppressions. */
import { fragment } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface WorkspaceRow {
  id: number
  slug: string
  name: string
  plan: string
  ratePerMinute: number
  createdAt: Date
  /** Its tables are there: see src/core/databases.ts. */
  databaseId: number
}

const workspaceColumns = fragment`
      id, slug, name, plan, rate_per_minute, created_at, cell as database_id`

export function insertWorkspace(
  db: Database,
  workspace: Pick<WorkspaceRow, 'slug' | 'name' | 'plan' | 'databaseId'> & {
    quotaOf: number | null
  },
): Promise<WorkspaceRow | null> {
  const { slug, name, plan, quotaOf, databaseId } = workspace
  return db.row<WorkspaceRow>(sql`
    insert into ${home}workspace (slug, name, plan, quota_of, cell, created_at)
    values (${slug}, ${name}, ${plan}, ${quotaOf}, ${databaseId}, facteur_now())
    on conflict (slug) do nothing
    returning ${workspaceColumns}`)
}

export function allWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select ${workspaceColumns} from workspace order by id`)
}

/** Workspaces by their numbers, after one on. `databaseId`: those of this database only. */
export function workspacePage(
  db: Database,
  { after, max, databaseId = null }: { after: number; max: number; databaseId?: number | null },
): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select ${workspaceColumns} from workspace
    where id > ${after} and (${databaseId}::int is null or cell = ${databaseId})
    order by id limit ${max}`)
}

/**
 * A text of an address as statements take it: PostgreSQL's `text` has no U+0000, nor has a slug.
 * Empty if no workspace has it.
 */
export const slugOfPath = (text: string): string => (text.includes('\0') ? '' : text)

/** By number or by slug. */
export function findWorkspace(db: Database, idOrSlug: string): Promise<WorkspaceRow | null> {
  return db.row<WorkspaceRow>(sql`
    select ${workspaceColumns} from workspace
    where slug = ${slugOfPath(idOrSlug)} or id::text = ${slugOfPath(idOrSlug)}`)
}

export async function setRatePerMinute(
  db: Database,
  workspaceId: number,
  ratePerMinute: number,
): Promise<void> {
  await db.count(
    sql`update ${home}workspace set rate_per_minute = ${ratePerMinute} where id = ${workspaceId}`,
  )
}

/** The slugs of others that share a quota with it, by their numbers: they debit one row. */
export function workspacesSharingQuota(db: Database, workspaceId: number): Promise<string[]> {
  return db.column<string>(sql`
    select o.slug
    from workspace w
    join workspace o on coalesce(o.quota_of, o.id) = coalesce(w.quota_of, w.id) and o.id <> w.id
    where w.id = ${workspaceId} order by o.id`)
}
