/** The senders that a workspace has registered. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface SenderRow {
  id: string
  name: string | null
  email: string
  default: boolean
}

/** Registers a sender, or renames the one with this address; the first of a workspace is its default. */
export async function upsertSender(
  db: Database,
  workspaceId: number,
  sender: { id: string; name: string | null; email: string },
): Promise<SenderRow> {
  const [row] = await db.rows<SenderRow>(sql`
    insert into sender (workspace_id, id, name, email, is_default, created_at)
    values (${workspaceId}, ${sender.id}, ${sender.name}, ${sender.email},
            not exists (select from sender where workspace_id = ${workspaceId}), facteur_now())
    on conflict (workspace_id, email) do update set name = excluded.name
    returning id, name, email, is_default as "default"`)
  if (!row) throw new Error('An upsert answered no row')
  return row
}

export function sendersOf(db: Database, workspaceId: number): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`
    select id, name, email, is_default as "default" from sender where workspace_id = ${workspaceId} order by created_at, id`)
}
