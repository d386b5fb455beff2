/**
 * The moves of workspaces from cell to cell: how far each is, and which workspaces are held for the
 * last step.
 */
import type { CountedRows } from '../row-digest.ts'
import { sql } from '../../client/sql.ts'
import type { Database } from '../../client/database.ts'
import type { TableDigests } from '../table-digests.ts'

/**
 * Copying: the old cell has it, and goes on. Held: calls and workers wait. Moved: the new cell has
 * it, and rows are left in the old one. Cleared: only the triggers are left there, which refuse
 * what a process that knows of nothing would write; the clean-up of the cell takes them away ten
 * minutes after the switch.
 */
export type WorkspaceMoveState = 'copying' | 'held' | 'moved' | 'cleared'

export interface WorkspaceMove {
  workspaceId: number
  /** Of the workspace; its number where it is gone. */
  slug: string
  fromCell: number
  toCell: number
  state: WorkspaceMoveState
  beganAt: Date
  movedAt: Date | null
  /** Since the command that makes it has last shown that it goes on. */
  quietSeconds: number
  /** From 0 to 1. */
  share: number
  /** Whether triggers of the old cell note each change of its rows. */
  isCaptured: boolean
}

/** All of them, those that are over included while something of them is left. */
export function workspaceMoves(db: Database): Promise<WorkspaceMove[]> {
  return db.rows<WorkspaceMove>(sql`
    select workspace as workspace_id, from_cell, to_cell, state, began_at, moved_at,
      extract(epoch from facteur_now() - beat_at)::float8 as quiet_seconds, share,
      exists (
        select from cell c
        join pg_class t on t.relnamespace = to_regnamespace(c.schema)
        join pg_trigger g on g.tgrelid = t.oid
        where c.id = m.from_cell and g.tgname like 'copy\\_' || m.workspace || '\\_%') as is_captured,
      coalesce((select slug from workspace w where w.id = m.workspace), m.workspace::text) as slug
    from workspace_move m order by began_at, workspace`)
}

/**
 * Of those that are closing in a cell: they are at home there, and their move has neither held them
 * nor shown itself for a minute.
 */
export function workspacesLeftRefusing(
  db: Database,
  { cell, closing }: { cell: number; closing: readonly number[] },
): Promise<{ slug: string; toCell: number }[]> {
  return db.rows<{ slug: string; toCell: number }>(sql`
    select w.slug, m.to_cell from workspace w join workspace_move m on m.workspace = w.id
    where w.id = any (${[...closing]}::bigint[]) and w.cell = ${cell}
      and greatest(m.beat_at, m.held_until) < facteur_now() - interval '1 minute'
    order by w.slug`)
}

/** Those that rows have to follow. */
export const isUnfinished = ({ state }: WorkspaceMove): boolean => state !== 'cleared'

export async function beginWorkspaceMove(
  db: Database,
  { workspaceId, fromCell, toCell }: Pick<WorkspaceMove, 'workspaceId' | 'fromCell' | 'toCell'>,
): Promise<void> {
  await db.count(sql`
    insert into workspace_move as m (workspace, from_cell, to_cell, state, began_at, beat_at)
    values (${workspaceId}, ${fromCell}, ${toCell}, 'copying', facteur_now(), facteur_now())
    on conflict (workspace) do update set from_cell = excluded.from_cell, to_cell = excluded.to_cell,
      state = 'copying', held_until = null, began_at = excluded.began_at, beat_at = excluded.beat_at,
      moved_at = null, copied = '{}', share = 0, digests = null
    where m.state <> 'moved'`)
}

export async function recordWorkspaceProgress(
  db: Database,
  { workspaceId, share }: { workspaceId: number; share: number },
): Promise<void> {
  await db.count(
    sql`update workspace_move set beat_at = facteur_now(), share = ${share} where workspace = ${workspaceId}`,
  )
}

/** The command that makes it shows that it goes on. */
export async function recordWorkspaceBeat(db: Database, workspaceId: number): Promise<void> {
  await db.count(
    sql`update workspace_move set beat_at = facteur_now() where workspace = ${workspaceId}`,
  )
}

export function copiedTablesOf(db: Database, workspaceId: number): Promise<string[]> {
  return db.onlyValue<string[]>(
    sql`select copied from workspace_move where workspace = ${workspaceId}`,
  )
}

export async function setCopiedTables(
  db: Database,
  workspaceId: number,
  tables: readonly string[],
): Promise<void> {
  await db.count(
    sql`
      update workspace_move
      set copied = ${[...tables]}, beat_at = facteur_now()
      where workspace = ${workspaceId}`,
  )
}

/**
 * Processes hold the workspace from now on, for so long at most. It waits for a process that lets
 * it go at this moment.
 */
export async function pauseWorkspace(
  db: Database,
  workspaceId: number,
  seconds: number,
): Promise<void> {
  await db.count(sql`
    update workspace_move
    set state = 'held', held_until = facteur_now() + make_interval(secs => ${seconds}::float8),
      beat_at = facteur_now()
    where workspace = ${workspaceId} and state in ('copying', 'held')`)
}

/**
 * Keeps everybody else from holding, releasing and switching the workspace, until the end of the
 * transaction. False if its move holds it, or somebody else is at that.
 */
export function lockUnpausedMove(tx: Database, workspaceId: number): Promise<boolean> {
  return tx.changes(sql`
    select from workspace_move
    where workspace = ${workspaceId} and not (state = 'held' and held_until > facteur_now())
    for update skip locked`)
}

/** The old cell goes on. False if it was not held any more. */
export function releaseWorkspace(tx: Database, workspaceId: number): Promise<boolean> {
  return tx.changes(
    sql`
      update workspace_move
      set state = 'copying', held_until = null
      where workspace = ${workspaceId} and state = 'held'`,
  )
}

/**
 * The commit of this decides where the workspace is. It waits for a process that lets the workspace
 * go at this moment. False if it was held for too long.
 */
export async function switchWorkspace(
  tx: Database,
  { workspaceId, digests }: { workspaceId: number; digests: TableDigests },
): Promise<boolean> {
  const toCell = await tx.value<number>(sql`
    update workspace_move
    set state = 'moved', moved_at = facteur_now(),
      digests = ${JSON.stringify(Object.fromEntries(digests))}::jsonb
    where workspace = ${workspaceId} and state = 'held' and held_until > facteur_now() returning to_cell`)
  if (toCell === null) return false
  // From a connection of the new cell, which finds a copy by the bare name.
  await tx.count(sql`update public.workspace set cell = ${toCell} where id = ${workspaceId}`)
  return true
}

export async function digestsOfSwitch(db: Database, workspaceId: number): Promise<TableDigests> {
  const result = await db.value<Record<string, CountedRows>>(
    sql`select digests from workspace_move where workspace = ${workspaceId}`,
  )
  return new Map(Object.entries(result ?? {}))
}

export async function recordCleared(db: Database, workspaceId: number): Promise<void> {
  await db.count(
    sql`
      update workspace_move
      set state = 'cleared', beat_at = facteur_now()
      where workspace = ${workspaceId} and state = 'moved'`,
  )
}

/** For one that has not moved, and one of which nothing is left. */
export async function forgetWorkspaceMove(db: Database, workspaceId: number): Promise<void> {
  await db.count(
    sql`delete from workspace_move where workspace = ${workspaceId} and state <> 'moved'`,
  )
}
