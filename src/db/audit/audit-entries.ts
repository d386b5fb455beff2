/**
 * The audit log of a workspace: each entry is written in the same transaction as its act, and never
 * changed.
 */
import type { ActName } from '../../contract/audit-actions.ts'
import { part, rowShape, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { storedFrom } from '../retention/stored-since.ts'

export interface NewAuditEntry {
  id: string
  /** Null if the act was not a signed-in user's. */
  userId: string | null
  who: string
  act: string
  subject: string
  /** JSON. */
  details: string
  ip: string | null
}

const entryList = rowShape<NewAuditEntry>('e', {
  uuid: ['id', 'userId'],
  text: ['who', 'act', 'subject', 'details', 'ip'],
})

export async function insertAuditEntries(
  db: Database,
  workspaceId: number,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  await db.count(sql`
    insert into audit_log (workspace_id, id, user_id, who, act, subject, details, ip, created_at)
    select ${workspaceId}, e.id, e.user_id, e.who, e.act, e.subject, e.details::jsonb, e.ip, facteur_now()
    from ${entryList(entries)}`)
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

export interface AuditFilter {
  /** Null, here and below: any. */
  act: ActName | null
  /** Part of the actor's name. */
  who: string | null
}

interface AuditRange {
  /** Only older ones. Null means from the newest on. */
  before: string | null
  max: number
  /** Entries that are examined at most. */
  scannedMax: number
}

/** The newest of the range that pass the filter, among those that one page examines. */
export function auditPage(
  db: Database,
  workspaceId: number,
  { act, who }: AuditFilter,
  { max, ...range }: AuditRange,
): Promise<AuditRow[]> {
  return db.rows<AuditRow>(sql`
    select id, who, act, subject, details, ip, created_at from (${examined(workspaceId, range)}) l
    where (${act}::text is null or act = ${act})
      and (${who}::text is null or strpos(lower(who), lower(${who})) > 0)
    order by id desc limit ${max}`)
}

/** The last entry that a page examined. Null means it examined all. */
export function endOfExaminedAudit(
  db: Database,
  workspaceId: number,
  range: Omit<AuditRange, 'max'>,
): Promise<Pick<AuditRow, 'id' | 'createdAt'> | null> {
  return db.row(sql`
    select id, created_at
    from (${examined(workspaceId, range)}) l
    order by id desc
    offset ${range.scannedMax - 1}
    limit 1`)
}

const examined = (
  workspaceId: number,
  { before, scannedMax }: Omit<AuditRange, 'max'>,
): Fragment => part`
      select * from audit_log
      where workspace_id = ${workspaceId} and created_at >= ${storedFrom(workspaceId, 'auditLog')}
        and id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by id desc limit ${scannedMax}`
