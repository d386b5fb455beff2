/** Lists of imports, by browsers and by commands together, and the lines that they refused. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { FileCounts, FileState } from './subscriber-files.ts'
import type { ImportRefusal } from '../files/import-refusals.ts'

export interface ImportListRow {
  id: string
  name: string
  state: FileState
  person: string | null
  counts: FileCounts | null
  /** The import under which its refused lines are stored. */
  refusalsOf: string
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

/** Newest first; an import that a file became is the file's entry. */
export function importPage(
  db: Database,
  workspaceId: number,
  { before, max }: { before: string | null; max: number },
): Promise<ImportListRow[]> {
  return db.rows<ImportListRow>(sql`
    select * from (
      (select id, name, state, user_email as person, progress as counts,
        coalesce(import_id, id) as refusals_of,
         created_at, started_at, ended_at
       from import_file
       where workspace_id = ${workspaceId}
         and id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and state <> 'arriving'
         and (not discarded or import_id is not null)
       order by id desc limit ${max})
      union all
      (select id, file_name, case when finished_at is null then 'stopped' else 'imported' end, null,
         jsonb_build_object('people', records_done, 'added', added, 'updated', updated, 'refused', refused),
         id,
         started_at, started_at, finished_at
       from subscriber_import i
       where workspace_id = ${workspaceId}
         and id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
         and (select 1
           from import_file f
           where f.workspace_id = ${workspaceId} and f.import_id = i.id
           limit 1) is null
       order by id desc limit ${max})
    ) i
    order by id desc limit ${max}`)
}

/** An import of a command; null when there is none. */
export function commandImport(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<ImportListRow | null> {
  return db.row<ImportListRow>(sql`
    select id, file_name as name, case when finished_at is null then 'stopped' else 'imported' end as state,
      null as person,
      jsonb_build_object('people', records_done, 'added', added, 'updated', updated, 'refused',
        refused) as counts,
        id as refusals_of,
      started_at as created_at, started_at, finished_at as ended_at
    from subscriber_import where workspace_id = ${workspaceId} and id = ${id}`)
}

/** The first refused lines. */
export function firstRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  max: number,
): Promise<ImportRefusal[]> {
  return db.rows<ImportRefusal>(sql`
    select line, reason, email from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} order by line limit ${max}`)
}

/** Deletes the refused lines of a dry run, up to `max`; answers how many. */
export function dropRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  max: number,
): Promise<number> {
  return db.count(sql`
    delete from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} and line = any (array(
      select line
      from subscriber_import_refusal
      where workspace_id = ${workspaceId} and import_id = ${importId}
      limit ${max}))`)
}
