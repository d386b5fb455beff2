/** Imports of suppression files: the progress of each, and the lines that it refused. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { FileLayout } from './import-refusals.ts'

export interface SuppressionImportRow {
  id: string
  bytes: number
  bytesDone: number
  lines: number
  added: number
  known: number
  refused: Record<string, number>
  /** Of files that earlier releases imported; all others' are in `subscriber_import_refusal`. */
  refusals: { line: number; reason: string; email: string }[]
  failure: string | null
  /** Null before its first line was read, and of files that earlier releases imported. */
  layout: FileLayout | null
  startedAt: Date
  finishedAt: Date | null
  /** Its progress has not changed for a while. */
  isStale: boolean
}

/** Seconds without progress after which the import's worker counts as lost. */
const staleSeconds = 60

/** False while another import of the workspace is running. */
export async function insertSuppressionImport(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<boolean> {
  // One after the other: imports that begin together would not see each other.
  await tx.count(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
  return tx.changes(sql`
    insert into suppression_file (workspace_id, id, started_at, seen_at)
    select ${workspaceId}, ${id}, facteur_now(), facteur_now()
    where (
      select 1 from suppression_file
      where workspace_id = ${workspaceId} and finished_at is null
        and seen_at >= (select facteur_now() - make_interval(secs => ${staleSeconds}))
      limit 1) is null`)
}

/** Stores that the uploading request, or the import's worker, is still there. */
export async function storeSuppressionImport(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await db.count(
    sql`
      update suppression_file
      set seen_at = facteur_now()
      where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** Deletes an import whose file never arrived whole: there is nothing to report. */
export async function dropSuppressionImport(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await db.count(
    sql`delete from suppression_file where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** Releases an import: no worker has it any more, and its file is gone. */
export async function leaveSuppressionImport(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await db.count(sql`
    update suppression_file
    set seen_at = 'epoch'
    where workspace_id = ${workspaceId} and id = ${id} and finished_at is null`)
}

export type SuppressionImportState = Omit<
  SuppressionImportRow,
  'id' | 'startedAt' | 'finishedAt' | 'isStale' | 'refusals'
> & {
  isFinished: boolean
}

export async function advanceSuppressionImport(
  db: Database,
  workspaceId: number,
  id: string,
  now: SuppressionImportState,
): Promise<void> {
  await db.count(sql`
    update suppression_file
    set size = ${now.bytes}, bytes_done = ${now.bytesDone}, lines = ${now.lines}, added = ${now.added},
      known = ${now.known}, refused = ${JSON.stringify(now.refused)}::jsonb,
      failure = ${now.failure}, layout = ${now.layout && JSON.stringify(now.layout)}::jsonb,
      seen_at = facteur_now(), finished_at = case when ${now.isFinished} then (select facteur_now()) end
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Newest first. A null `id` means all of them, `max` at most. */
export function suppressionImports(
  db: Database,
  workspaceId: number,
  { id, max }: { id: string | null; max: number },
): Promise<SuppressionImportRow[]> {
  return db.rows<SuppressionImportRow>(sql`
    select id, size as bytes, bytes_done, lines, added, known, refused, refusals, failure, layout, started_at,
      finished_at,
      finished_at is null
        and seen_at < (select facteur_now() - make_interval(secs => ${staleSeconds})) as is_stale
    from suppression_file where workspace_id = ${workspaceId} and (${id}::uuid is null or id = ${id}::uuid)
    order by id desc limit ${max}`)
}
