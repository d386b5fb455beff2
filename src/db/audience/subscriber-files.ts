/**
 * Files of subscribers that browsers uploaded: their pieces, their import options, and the worker
 * that holds them.
 */
import type { StatusWord } from '../../contract/workspace/imports.ts'
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export type FileState =
  | 'arriving'
  | 'kept'
  | 'trying'
  | 'tried'
  | 'importing'
  | 'stopped'
  | 'imported'
  | 'failed'

/** Counts of a run, as they are stored. */
export interface FileCounts {
  people: number
  added: number
  updated: number
  refused: Record<string, number>
}

/**
 * Why a run ended: an unreadable file, questions about its words and tags, or one line for the
 * operator.
 */
export interface FileFailure {
  rule: string
  line?: string
  text?: string
  words?: { column: string; word: string; count: number }[]
  separators?: { separator: string; count: number; example: string }[]
}

export interface FileRow {
  id: string
  name: string
  bytes: number
  state: FileState
  targets: (string | null)[] | null
  tags: string[]
  consent: string | null
  statusWords: StatusWord[]
  tagSeparators: string | null
  progress: FileCounts | null
  bytesDone: number
  trial: FileCounts | null
  failure: FileFailure | null
  importId: string | null
  stopping: boolean
  person: string
  hasPieces: boolean
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

/**
 * Registers a new file without its pieces; false when the workspace has `max` of them already,
 * stored or arriving.
 */
export async function beginFile(
  tx: Database,
  workspaceId: number,
  { id, name, person, apiKeyId, max }: NewFile,
): Promise<boolean> {
  // One after the other: files that begin together would not see each other.
  await tx.count(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
  return tx.changes(sql`
    with room as materialized (
      select date_trunc('milliseconds', facteur_now()) as at where (
        select count(*)
        from import_file f
        where f.workspace_id = ${workspaceId} and (f.state = 'arriving' or (
          select 1
          from import_file_part p
          where p.workspace_id = ${workspaceId} and p.file_id = f.id
          limit 1) is not null)) < ${max}
    )
    insert into import_file (workspace_id, id, name, state, user_email, api_key_id, created_at)
    select ${workspaceId}::bigint, ${id}::uuid, ${name}::text, 'arriving', ${person}::text, ${apiKeyId}::uuid,
      at
    from room`)
}

interface NewFile {
  id: string
  name: string
  /** The user's address, or `key NAME`. */
  person: string
  /** Null means a user brings it. */
  apiKeyId: string | null
  /** How many files a workspace may store. */
  max: number
}

export async function addPiece(
  db: Database,
  workspaceId: number,
  { id, position, bytes }: { id: string; position: number; bytes: Buffer },
): Promise<void> {
  await db.count(sql`
    insert into import_file_part (workspace_id, file_id, position, content)
    values (${workspaceId}, ${id}, ${position}, ${bytes})`)
}

/** One piece of it; null behind the last. */
export function pieceOf(
  db: Database,
  workspaceId: number,
  id: string,
  position: number,
): Promise<Buffer | null> {
  return db.value<Buffer>(sql`
    select content
    from import_file_part
    where workspace_id = ${workspaceId} and file_id = ${id} and position = ${position}`)
}

/** Marks that the file has arrived whole. */
export async function markFileComplete(
  db: Database,
  workspaceId: number,
  id: string,
  bytes: number,
): Promise<void> {
  await db.count(sql`
    update import_file
    set state = 'kept', size = ${bytes}
    where workspace_id = ${workspaceId} and id = ${id}`)
}

export function fileById(db: Database, workspaceId: number, id: string): Promise<FileRow | null> {
  return db.row<FileRow>(sql`
    select id, name, size as bytes, state, targets, tags, consent, status_words, tag_separators, progress,
      bytes_done, trial, failure, import_id,
      stopping, user_email as person, created_at, started_at, ended_at,
      not discarded
        and (select 1
          from import_file_part p
          where p.workspace_id = ${workspaceId} and p.file_id = f.id
          limit 1) is not null as has_pieces
    from import_file f
    where workspace_id = ${workspaceId} and id = ${id} and state <> 'arriving'
      and (not discarded or import_id is not null)`)
}

/** The import options of a file. */
export interface FilePlan {
  targets: (string | null)[]
  tags: string[]
  consent: string | null
  statusWords: StatusWord[]
  tagSeparators: string | null
}

/**
 * Schedules a file for a dry run or an import by the first free worker; false while it runs, or
 * once it is finished.
 */
export async function scheduleFile(
  tx: Database,
  workspaceId: number,
  {
    id,
    state,
    targets,
    tags,
    consent,
    statusWords,
    tagSeparators,
  }: FilePlan & { id: string; state: 'trying' | 'importing' },
): Promise<boolean> {
  // Citus takes no time of the database in a condition.
  const startedAt =
    state === 'importing' ? fragment`date_trunc('milliseconds', facteur_now())` : fragment`null`
  const scheduled = await tx.count(sql`
    update import_file set state = ${state}, targets = ${targets}, tags = ${tags}, consent = ${consent},
      status_words = ${JSON.stringify(statusWords)}, tag_separators = ${tagSeparators}, stopping = false,
      progress = null, bytes_done = 0, failure = null, ended_at = null, next_at = facteur_now(),
      fence = fence + 1, started_at = ${startedAt}
    where workspace_id = ${workspaceId} and id = ${id} and not discarded
      and state in ('kept', 'tried', 'stopped', 'failed')`)
  if (scheduled === 0) return false
  await tx.count(sql`
    insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'import', facteur_now())
    on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)`)
  return true
}

/** A file that this process holds from now on. */
export interface LockedFile extends FilePlan {
  id: string
  name: string
  bytes: number
  state: 'trying' | 'importing'
  person: string
  /** The key that brought it. Null if a user did. */
  apiKeyId: string | null
  createdAt: Date
  fence: number
}

/** Claims the longest waiting file of a workspace for `leaseSeconds`; null when none is due. */
export function claimFile(
  db: Database,
  workspaceId: number,
  leaseSeconds: number,
): Promise<LockedFile | null> {
  return db.row<LockedFile>(sql`
    update import_file set fence = fence + 1, next_at = facteur_now() + make_interval(secs => ${leaseSeconds})
    where workspace_id = ${workspaceId} and targets is not null and id = (
      select id from import_file where workspace_id = ${workspaceId} and next_at <= (select facteur_now())
      order by next_at limit 1 for update skip locked)
    returning id, name, size as bytes, state, targets, tags, consent, status_words, tag_separators,
      user_email as person, api_key_id, created_at, fence`)
}

/**
 * Stores the progress and renews the lease. False if the run is to end, or another process has it.
 */
export async function recordProgress(
  db: Database,
  workspaceId: number,
  { id, fence, counts, bytesDone, importId, leaseSeconds }: Progress,
): Promise<boolean> {
  const [row] = await db.rows<{ stopping: boolean }>(sql`
    update import_file
    set progress = ${counts && JSON.stringify(counts)}::jsonb, bytes_done = ${bytesDone},
      import_id = coalesce(${importId}::uuid, import_id),
      next_at = facteur_now() + make_interval(secs => ${leaseSeconds})
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence}
    returning stopping`)
  return row?.stopping === false
}

interface Progress {
  id: string
  fence: number
  /** Null while the file is read before its first line. */
  counts: FileCounts | null
  bytesDone: number
  importId: string | null
  leaseSeconds: number
}

/** Ends a run; false when another process has taken it since: it stays as it is then. */
export function endRun(
  db: Database,
  workspaceId: number,
  { id, fence, state, counts, importId, failure }: EndedRun,
): Promise<boolean> {
  return db.changes(sql`
    update import_file
    set state = ${state}, next_at = null, ended_at = date_trunc('milliseconds', facteur_now()),
      stopping = false,
      failure = ${failure && JSON.stringify(failure)}::jsonb,
      import_id = coalesce(${importId}::uuid, import_id),
      progress = coalesce(${counts && JSON.stringify(counts)}::jsonb, progress),
      trial = case when ${state} = 'tried' then ${counts && JSON.stringify(counts)}::jsonb else trial end
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence}`)
}

interface EndedRun {
  id: string
  fence: number
  state: 'kept' | 'tried' | 'imported' | 'stopped' | 'failed'
  counts: FileCounts | null
  importId: string | null
  failure: FileFailure | null
}

/** Returns a run at once, so that another process can go on with it. */
export async function returnFile(
  db: Database,
  workspaceId: number,
  id: string,
  fence: number,
): Promise<void> {
  await db.count(sql`
    update import_file
    set next_at = facteur_now()
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence}`)
}

/** Asks a run to end; false when none is running. */
export function stopFile(db: Database, workspaceId: number, id: string): Promise<boolean> {
  return db.changes(sql`
    update import_file set stopping = true
    where workspace_id = ${workspaceId} and id = ${id} and state in ('trying', 'importing')`)
}

/**
 * Discards a file, so that its pieces can be deleted and no worker takes it; false while it runs.
 */
export function discardFile(db: Database, workspaceId: number, id: string): Promise<boolean> {
  return db.changes(sql`
    update import_file set discarded = true
    where workspace_id = ${workspaceId} and id = ${id} and state not in ('trying', 'importing')`)
}

/** Deletes up to `max` pieces of a file; answers how many there were. */
export async function dropPieces(
  db: Database,
  workspaceId: number,
  id: string,
  max: number,
): Promise<number> {
  return db.count(sql`
    delete from import_file_part
    where workspace_id = ${workspaceId} and file_id = ${id} and position = any (array(
      select position
      from import_file_part
      where workspace_id = ${workspaceId} and file_id = ${id}
      limit ${max}))`)
}

/** Deletes a file that was never imported; an imported one stays until its import is deleted. */
export async function dropFile(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    delete from import_file
    where workspace_id = ${workspaceId} and id = ${id} and import_id is null
      and state not in ('trying', 'importing')`)
}

/**
 * Files whose pieces are a day old, in any state, and those that never arrived whole; not those
 * that run.
 */
export function outdatedFiles(db: Database, workspaceId: number, max: number): Promise<string[]> {
  return db.column<string>(sql`
    select id from import_file f
    where workspace_id = ${workspaceId} and created_at < (select facteur_now() - interval '1 hour')
      and state not in ('trying', 'importing')
      and (state = 'arriving' or created_at < (select facteur_now() - interval '1 day'))
      and (import_id is null or (
        select 1
        from import_file_part p
        where p.workspace_id = ${workspaceId} and p.file_id = f.id
        limit 1) is not null)
    limit ${max}`)
}
