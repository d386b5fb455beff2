/** The audit log of a workspace: each entry is written in the same transaction as its act, and never changed. */
import type { ActName } from '../../contract/audit-actions.ts'
import { sql, type Database } from '../connection/connect.ts'
import { storedSince } from '../retention/stored-since.ts'

export interface NewAuditEntry {
  id: string
  /** Null: the act was not a signed-in user's. */
  userId: string | null
  who: string
  act: string
  subject: string
  details: object
  ip: string | null
}

export async function insertAuditEntry(db: Database, workspaceId: number, entry: NewAuditEntry): Promise<void> {
  const { id, userId, who, act, subject, details, ip } = entry
  await db.count(sql`
    insert into audit_log (workspace_id, id, user_id, who, act, subject, details, ip, created_at)
    values (${workspaceId}, ${id}, ${userId}, ${who}, ${act}, ${subject}, ${JSON.stringify(details)}, ${ip}, facteur_now())`)
}

export interface AuditRow {
  id: string
  who: string
  act: ActName
  subject: string
  details: Record<string, unknown>
  ip: string | null
  createdAt: Date
}

/** Newest first, from the one before `before` on; `who`: part of the actor's name. */
export function auditPage(
  db: Database,
  workspaceId: number,
  { max, before, act, who }: { max: number; before: string | null; act: ActName | null; who: string | null },
): Promise<AuditRow[]> {
  return db.rows<AuditRow>(sql`
    select id, who, act, subject, details, ip, created_at as "createdAt" from audit_log
    where workspace_id = ${workspaceId} and created_at >= coalesce((select facteur_stored_since(${workspaceId}, ${storedSince.auditLog})), '-infinity')
      and id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and (${act}::text is null or act = ${act}) and (${who}::text is null or strpos(lower(who), lower(${who})) > 0)
    order by id desc limit ${max}`)
}
