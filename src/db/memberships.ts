/** What people are in workspaces. */
import type { Role } from '../contract/roles.ts'
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface WorkspaceOfPerson {
  id: number
  slug: string
  name: string
  role: Role
}

/** In the order in which they joined. */
export function workspacesOf(db: Database, personId: string): Promise<WorkspaceOfPerson[]> {
  return db.rows<WorkspaceOfPerson>(sql`
    select w.id, w.slug, w.name, m.role from membership m join workspace w on w.id = m.workspace_id
    where m.person_id = ${personId} order by m.created_at, w.id`)
}

/** False: they are a member already, and stay what they are. */
export async function insertMembership(db: Database, workspaceId: number, personId: string, role: Role): Promise<boolean> {
  const touched = await db.count(sql`
    insert into membership (workspace_id, person_id, role) values (${workspaceId}, ${personId}, ${role}) on conflict do nothing`)
  return touched > 0
}
