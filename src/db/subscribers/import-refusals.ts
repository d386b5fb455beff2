/** Lines that an import refused, with the reason of each. */
import { rowList } from '../connection/fragment.ts'
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

export interface ImportRefusal {
  line: number
  reason: string
  email: string
}

/** Stores the reasons of refused lines, in the transaction of their batch. */
export async function insertImportRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  refused: ImportRefusal[],
): Promise<void> {
  await db.count(sql`
    insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email)
    select ${workspaceId}, ${importId}, r.line, r.reason, r.email
    from ${rowList(refused, 'r', { bigint: ['line'], text: ['reason', 'email'] })}`)
}

/** Refused lines in their order, from after one on. */
export function importRefusalPage(
  db: Database,
  workspaceId: number,
  importId: string,
  { after, max }: { after: number; max: number },
): Promise<ImportRefusal[]> {
  return db.rows<ImportRefusal>(sql`
    select line, reason, email from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} and line > ${after} order by line limit ${max}`)
}
