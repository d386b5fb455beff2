/** Lines that an import refused, with the reason of each. */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ImportRefusal {
  line: number
  reason: string
  email: string
}

export interface StoredRefusal extends ImportRefusal {
  /**
   * The line as it stands in its file. Null means too long, of an erased contact, or refused by an
   * earlier release.
   */
  content: string | null
}

/** How the lines of a file are written. */
export interface FileLayout {
  /** Its first line. */
  header: string
  lineEnd: string
  delimiter: string
  /** How many the header has. */
  columns: number
  /** The column of the address. */
  email: number
}

/** Stores the reasons of refused lines, in the transaction of their batch. */
export async function insertImportRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  refused: StoredRefusal[],
): Promise<void> {
  await db.count(sql`
    insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email, content)
    select ${workspaceId}, ${importId}, r.line, r.reason, r.email, r.content
    from ${rowList(refused, 'r', { bigint: ['line'], text: ['reason', 'email', 'content'] })}`)
}

/** Refused lines in their order, from after one on. */
export function importRefusalPage(
  db: Database,
  workspaceId: number,
  importId: string,
  { after, max }: { after: number; max: number },
): Promise<StoredRefusal[]> {
  return db.rows<StoredRefusal>(sql`
    select line, reason, email, content from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} and line > ${after}
    order by line
    limit ${max}`)
}
