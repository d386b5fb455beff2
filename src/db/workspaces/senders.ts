/** The sender addresses that a workspace has registered. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SenderRow {
  id: string
  name: string | null
  email: string
  default: boolean
  createdAt: Date
}

/**
 * Registers a sender, or renames the one with this address; the first of a workspace is its
 * default.
 */
export function upsertSender(
  db: Database,
  workspaceId: number,
  sender: { id: string; name: string | null; email: string },
): Promise<SenderRow> {
  return db.onlyRow<SenderRow>(sql`
    with others as materialized (
      select exists (select from sender where workspace_id = ${workspaceId}) as are_there
    )
    insert into sender (workspace_id, id, name, email, is_default, created_at)
    select ${workspaceId}, ${sender.id}, ${sender.name}, ${sender.email}, not are_there, facteur_now()
    from others
    on conflict (workspace_id, email) do update set name = excluded.name
    returning id, name, email, is_default as "default", created_at`)
}

export function sendersOf(db: Database, workspaceId: number): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`
    select id, name, email, is_default as "default", created_at from sender
    where workspace_id = ${workspaceId} order by created_at, id`)
}

/** Locks a workspace's senders: changes of the default come one after the other. */
export async function lockSenders(db: Database, workspaceId: number): Promise<SenderRow[]> {
  const rows = await db.rows<SenderRow>(sql`
    select id, name, email, is_default as "default", created_at from sender
    where workspace_id = ${workspaceId} order by id for update`)
  return rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

export async function renameSender(
  db: Database,
  workspaceId: number,
  id: string,
  name: string | null,
): Promise<void> {
  await db.count(
    sql`update sender set name = ${name} where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

export async function makeSenderDefault(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await db.count(
    sql`update sender set is_default = (id = ${id}) where workspace_id = ${workspaceId}`,
  )
}

/** Scheduled campaigns from this address. */
export function countPlannedFrom(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<number> {
  return db.onlyValue<number>(sql`
    select count(*)::int as campaigns from campaign
    where workspace_id = ${workspaceId} and status = 'scheduled' and from_email = ${email}`)
}

export async function deleteSender(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`delete from sender where workspace_id = ${workspaceId} and id = ${id}`)
}
