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
  /** Only older ones. */
  before: string
  /** From this identifier on. */
  from: string
  /** Entries that are examined at most. */
  scannedMax: number
}

/** The newest of the range that pass the filter, among those that one page examines. */
export function auditPage(
  db: Database,
  workspaceId: number,
  filter: AuditFilter,
  { max, ...range }: AuditRange & { max: number },
): Promise<AuditRow[]> {
  return db.rows<AuditRow>(sql`
    select id, who, act, subject, details, ip, created_at from (${examined(workspaceId, range)}) l
    where ${passing(filter)}
    order by id desc limit ${max}`)
}

/** How many of the newest entries of a range pass the filter, and how many were examined. */
export function countAuditEntries(
  db: Database,
  workspaceId: number,
  filter: AuditFilter,
  range: AuditRange,
): Promise<{ count: number; examined: number }> {
  return db.onlyRow(sql`
    select (count(*) filter (where ${passing(filter)}))::int as count, count(*)::int as examined
    from (${examined(workspaceId, range)}) l`)
}

const passing = ({ act, who }: AuditFilter): Fragment => part`(${act}::text is null or act = ${act})
      and (${who}::text is null or strpos(lower(who), lower(${who})) > 0)`

/** The last entry that a page examined. Null means it examined all. */
export function endOfExaminedAudit(
  db: Database,
  workspaceId: number,
  range: AuditRange,
): Promise<Pick<AuditRow, 'id' | 'createdAt'> | null> {
  return db.row(sql`
    select id, created_at
    from (${examined(workspaceId, range)}) l
    order by id desc
    offset ${range.scannedMax - 1}
    limit 1`)
}

const examined = (workspaceId: number, { before, from, scannedMax }: AuditRange): Fragment => part`
      select * from audit_log
      where workspace_id = ${workspaceId} and created_at >= ${storedFrom(workspaceId, 'auditLog')}
        and id < ${before}::uuid and id >= ${from}::uuid
      order by id desc limit ${scannedMax}`
