/** Imports of subscribers: the progress of each, from its start to its deletion. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { FileLayout } from '../files/import-refusals.ts'

export interface ImportState {
  id: string
  recordsDone: number
  added: number
  updated: number
  /** Lines by reason. */
  refused: Record<string, number>
}

export interface StartedImport {
  fingerprint: Buffer
  fileName: string
  layout: FileLayout
}

/** The unfinished import of this fingerprint, or a new one. */
export function findOrStartImport(
  db: Database,
  workspaceId: number,
  { id, fingerprint, fileName, layout }: StartedImport & { id: string },
): Promise<ImportState> {
  return db.onlyRow<ImportState>(sql`
    insert into subscriber_import as i (workspace_id, id, fingerprint, file_name, layout, started_at)
    values (${workspaceId}, ${id}, ${fingerprint}, ${fileName}, ${JSON.stringify(layout)},
      date_trunc('milliseconds', facteur_now()))
    on conflict (workspace_id, fingerprint) where finished_at is null do update set layout = excluded.layout
    returning id, records_done, added, updated, refused`)
}

/**
 * Locks the import for this transaction. False when its progress differs from the caller's: another
 * process imports the same file, and one of the two must stop.
 */
export async function lockImport(
  db: Database,
  workspaceId: number,
  id: string,
  recordsDone: number,
): Promise<boolean> {
  const rows = await db.rows(sql`
    select 1 from subscriber_import
    where workspace_id = ${workspaceId} and id = ${id} and records_done = ${recordsDone}
      and finished_at is null
    for update`)
  return rows.length > 0
}

/**
 * Waits for the running batches of all imports, and keeps others from beginning until the
 * transaction ends.
 */
export async function waitForImports(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(
    sql`
      select 1
      from subscriber_import
      where workspace_id = ${workspaceId} and finished_at is null
      order by id
      for update`,
  )
}

/** Stores the result of a batch, in its transaction. */
export async function advanceImport(
  db: Database,
  workspaceId: number,
  state: ImportState,
): Promise<void> {
  await db.count(sql`
    update subscriber_import
    set records_done = ${state.recordsDone}, added = ${state.added}, updated = ${state.updated},
      refused = ${JSON.stringify(state.refused)}
    where workspace_id = ${workspaceId} and id = ${state.id}`)
}

export async function finishImport(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    update subscriber_import set finished_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Null when an earlier release stored its refused lines. */
export function layoutOfImport(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<FileLayout | null> {
  return db.value<FileLayout | null>(
    sql`select layout from subscriber_import where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** The import of a file, when it has ended since the file was scheduled; null before. */
export function finishedImport(
  db: Database,
  workspaceId: number,
  fileId: string,
): Promise<ImportState | null> {
  return db.row<ImportState>(sql`
    select i.id, i.records_done, i.added, i.updated, i.refused
    from import_file f join subscriber_import i on i.workspace_id = ${workspaceId} and i.id = f.import_id
    where f.workspace_id = ${workspaceId} and f.id = ${fileId} and i.finished_at >= f.started_at`)
}

/**
 * Imported subscribers whose address was being suppressed at the same time: the suppression exists,
 * and they are still in the audience.
 */
export function importedThoughSuppressed(
  db: Database,
  workspaceId: number,
  importId: string,
  max: number,
): Promise<string[]> {
  return db.column<string>(sql`
    with recent as materialized (
      -- The import saw each suppression from before its start; the minute covers a transaction that was
      -- under way.
      select x.email
      from subscriber_import i
      join suppression x on x.workspace_id = ${workspaceId}
        and x.created_at >= i.started_at - interval '1 minute'
      where i.workspace_id = ${workspaceId} and i.id = ${importId}
    )
    select r.email from recent r
    cross join lateral (
      select status, import_id
      from subscriber
      where workspace_id = ${workspaceId} and email = r.email
      limit 1) s
    where s.import_id = ${importId} and s.status in ('pending', 'subscribed') limit ${max}`)
}

/**
 * Deletes the oldest import of subscribers and that of suppressed addresses of more than `days`
 * days ago: their refusals, up to `max` of each at once, and then the import. Answers how many
 * rows.
 */
export function deleteOldImports(
  db: Database,
  workspaceId: number,
  days: number,
  max: number,
): Promise<number> {
  return db.count(sql`
    with old as materialized (
      (select id from subscriber_import
       where workspace_id = ${workspaceId}
         and started_at < (select facteur_now() - make_interval(days => ${days}))
       order by started_at
       limit 1)
      union all
      (select id from suppression_file
       where workspace_id = ${workspaceId}
         and started_at < (select facteur_now() - make_interval(days => ${days}))
       order by started_at
       limit 1)
    ), lines as materialized (
      select r.import_id, r.line from old
      cross join lateral (
        select import_id, line
        from subscriber_import_refusal
        where workspace_id = ${workspaceId} and import_id = old.id
        limit ${max}) r
    ), refusals as (
      delete from subscriber_import_refusal r using lines l
      where r.workspace_id = ${workspaceId} and r.import_id = l.import_id and r.line = l.line
      returning 1
    ), done as materialized (
      select id from old where not exists (select from lines where import_id = old.id)
    ), subscribers as (
      delete from subscriber_import i using done
      where i.workspace_id = ${workspaceId} and i.id = done.id
      returning 1
    ), suppressions as (
      delete from suppression_file i using done
      where i.workspace_id = ${workspaceId} and i.id = done.id
      returning 1
    )
    select 1 from refusals union all select 1 from subscribers union all select 1 from suppressions`)
}
