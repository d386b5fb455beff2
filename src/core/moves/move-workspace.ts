/**
 * Moves a workspace from its cell to another one while it sends (docs/decisions/0060-cells.md):
 *
 * 1. Capture the keys of its rows that change from now on.
 * 2. Copy its rows, table by table; apply what has changed meanwhile, until that is little.
 * 3. Read both cells' rows whole, at one moment of the old cell, and compare them.
 * 4. Hold: calls and workers wait, mails in hand end, and the old cell refuses changes by whichever process.
 * 5. Apply the rest, and decide: one commit.
 * 6. Compare the old rows with what has moved, and delete them.
 *
 * Killed anywhere, the same command goes on. Before the commit the old cell has the workspace; a hold ends by itself.
 */
import type pg from 'pg'
import type { CountedRows } from '../../backup-files/row-digest.ts'
import type { Clock } from '../../clock.ts'
import { tableShapes } from '../../db/backups/table-shapes.ts'
import { announceCells } from '../../db/cells/cell-changes.ts'
import { cellSummaries } from '../../db/cells/cell-list.ts'
import { cells, type Cell } from '../../db/cells/cells.ts'
import { globalTables } from '../../db/cells/global-tables.ts'
import {
  beginWorkspaceMove,
  copiedTablesOf,
  digestsOfSwitch,
  forgetWorkspaceMove,
  holdWorkspace,
  isUnfinished,
  recordCleared,
  recordWorkspaceBeat,
  recordWorkspaceProgress,
  releaseWorkspace,
  setCopiedTables,
  switchWorkspace,
  workspaceMoves,
  type WorkspaceMove,
} from '../../db/moves/workspace-moves.ts'
import { connect, type Connection } from '../../db/connection/connect.ts'
import { createDatabase, type Database } from '../../db/connection/database.ts'
import { retrying } from '../../db/connection/retrying.ts'
import { copiedTables, type CopiedTable } from '../../db/moves/copied-tables.ts'
import { beginSnapshot, inTransactionOf, withCopyClient } from '../../db/moves/copy-client.ts'
import { databaseCopy, takeCopyLocks } from '../../db/moves/copy-state.ts'
import { differing } from '../../db/moves/table-digests.ts'
import {
  captureWorkspace,
  closeGate,
  endWorkspaceCapture,
  heldRows,
  isUndecided,
  openGate,
} from '../../db/moves/workspace-capture.ts'
import {
  applyChangesOf,
  copyRowsOf,
  countRows,
  deleteRowsOf,
  digestRowsOf,
  hasRowsOf,
  inMovingTransaction,
} from '../../db/moves/workspace-rows.ts'
import { workspacesSharingQuota, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { addPartitions, enterSchema, leaveCell, raiseSequences } from '../../db/moves/workspace-target.ts'
import { wakeCell } from '../../db/moves/wake-cell.ts'
import { OperatorError } from '../../operator-error.ts'
import type { FailpointHits } from '../context.ts'

export interface WorkspaceMoveProgress {
  step: 'rows' | 'check' | 'clearing'
  /** From 0 to 1, within the step. */
  share: number
  rows: number
}

export interface MoveWorkspace {
  connectionString: string
  workspace: Pick<WorkspaceRow, 'id' | 'slug' | 'cell'>
  toCell: number
  clock: Clock
  failpoints: FailpointHits
  /** A few words about each step. */
  progress(text: string): void
  onProgress(progress: WorkspaceMoveProgress): void
  signal: AbortSignal
}

export interface MovedWorkspace {
  fromCell: number
  toCell: number
  tables: number
  rows: number
  /** Rows that changed while they were copied. */
  changes: number
  /** From the hold until processes were notified of the new cell; null: an earlier run had switched. */
  pauseMs: number | null
}

interface Move extends MoveWorkspace {
  workspaceId: number
  /** For the global tables, and for single statements in the old cell and in the new one. */
  db: Connection
  /** Connections whose names mean tables of the old cell, and of the new one. */
  from: pg.Client
  to: pg.Client
  tables: readonly CopiedTable[]
  /** Those that show workers where work is: they come with the switch. */
  lateTables: readonly CopiedTable[]
  fromCell: Cell
  changes: number
}

/** Throws `OperatorError` where it cannot be done: the workspace is in its cell then, and goes on. */
export async function moveWorkspace(given: MoveWorkspace): Promise<MovedWorkspace> {
  const db = connect({ connectionString: given.connectionString, poolSize: 2, applicationName: 'facteur move' })
  try {
    return await withCopyClient(given.connectionString, async (locks) => {
      await takeLocks(
        given,
        createDatabase((statement) => locks.query(statement)),
      )
      const workspaceId = given.workspace.id
      const known = await check(given, db)
      if (known?.state === 'moved') {
        const ended = await withMove({ ...given, db }, known, clear)
        if (known.toCell === given.toCell) return ended
      }
      const { cell } = given.workspace
      const isBegun = known?.state === 'copying' && known.toCell === given.toCell
      const asked = { workspaceId, fromCell: known?.state === 'moved' ? known.toCell : cell, toCell: given.toCell }
      return withMove({ ...given, db }, asked, async (move) => {
        await checkWhole(move)
        if (!isBegun) await beginWorkspaceMove(db, asked)
        await fill(move)
        const digests = await compare(move)
        const pauseMs = await switchOver(move, digests)
        return { ...(await clear(move)), pauseMs }
      })
    })
  } finally {
    await db.end()
  }
}

/** Gives a move up that has not switched. Answers the cell that it was to go to; null: there was none. */
export async function abandonWorkspaceMove(given: Omit<MoveWorkspace, 'toCell' | 'onProgress'>): Promise<number | null> {
  const { connectionString, workspace } = given
  const db = connect({ connectionString, poolSize: 2, applicationName: 'facteur move' })
  try {
    return await withCopyClient(connectionString, async (locks) => {
      await takeLocks(
        given,
        createDatabase((statement) => locks.query(statement)),
      )
      const known = (await workspaceMoves(db)).find(({ workspaceId }) => workspaceId === workspace.id)
      if (!known || known.state === 'cleared') return null
      if (known.state === 'moved')
        throw new OperatorError(
          `The workspace is in cell ${known.toCell} already: the same command without --cancel deletes what is left in cell ${known.fromCell}.`,
        )
      await withMove({ ...given, db, toCell: known.toCell, onProgress: () => undefined }, known, async (move) => {
        await letGo(move)
        await endWorkspaceCapture(move.from, move)
        await endWorkspaceCapture(move.to, move)
        await empty(move, [...move.tables, ...move.lateTables])
        await forgetWorkspaceMove(db, workspace.id)
      })
      return known.toCell
    })
  } finally {
    await db.end()
  }
}

/** How long the upkeep of partitions may take that runs at this moment. */
const upkeepMs = 60_000

/** One move or copy at a time, and no partition comes or goes behind the triggers. */
async function takeLocks(
  { clock, progress, signal }: Pick<MoveWorkspace, 'clock' | 'progress' | 'signal'>,
  locks: Database,
): Promise<void> {
  for (const endsAtMs = clock.monotonicMs() + upkeepMs; ; await clock.sleep(200, signal)) {
    const taken = await takeCopyLocks(locks)
    if (taken === 'taken') return
    if (taken === 'copying') throw new OperatorError('Another move, or a copy of this database, is running. It was left alone.')
    if (clock.monotonicMs() > endsAtMs) throw new OperatorError('The upkeep of partitions has not ended: try again later.')
    progress('Waiting for the upkeep of partitions')
  }
}

/** Answers what an earlier run has left of this workspace's move. */
async function check({ workspace, toCell }: MoveWorkspace, db: Database): Promise<WorkspaceMove | undefined> {
  const target = (await cellSummaries(db)).find(({ id }) => id === toCell)
  if (!target) throw new OperatorError(`There is no cell ${toCell}: facteur cell list shows them. Nothing was changed.`)
  if (!target.isReady)
    throw new OperatorError(`Cell ${toCell} is not ready: give facteur cell add once more. Nothing was changed.`)
  const moves = await workspaceMoves(db)
  const known = moves.find(({ workspaceId }) => workspaceId === workspace.id)
  const other = moves.find((move) => move.workspaceId !== workspace.id && isUnfinished(move))
  if (other)
    throw new OperatorError(
      `Workspace ${other.slug} is on its way to cell ${other.toCell}: facteur workspace move ${other.slug} ${other.toCell} goes on with it. Nothing was changed.`,
    )
  if (known && ['copying', 'held'].includes(known.state) && known.toCell !== toCell)
    throw new OperatorError(
      `Workspace ${workspace.slug} is on its way to cell ${known.toCell}: go on with that, or give it up (facteur workspace move ${workspace.slug} ${known.toCell} --cancel). Nothing was changed.`,
    )
  if (workspace.cell === toCell && known?.state !== 'moved')
    throw new OperatorError(`Workspace ${workspace.slug} is in cell ${toCell} already. Nothing was changed.`)
  const sharing = await workspacesSharingQuota(db, workspace.id)
  if (sharing.length > 0)
    throw new OperatorError(
      `Workspace ${workspace.slug} shares its quota with ${sharing.join(', ')}, and they must be in one cell: give it a plan of its own first (facteur workspace plan). Nothing was changed.`,
    )
  if (await databaseCopy(db))
    throw new OperatorError(
      'A copy of this database was begun: end it first, or give it up (facteur database copy --abort). Nothing was changed.',
    )
  return known?.state === 'held' ? { ...known, state: 'copying' } : known
}

type Asked = Pick<WorkspaceMove, 'workspaceId' | 'fromCell' | 'toCell'>

function withMove<T>(given: MoveWorkspace & { db: Connection }, asked: Asked, work: (move: Move) => Promise<T>): Promise<T> {
  const { connectionString, signal, db } = given
  return withCopyClient(
    connectionString,
    (from) =>
      withCopyClient(
        connectionString,
        async (to) => {
          const ready = await cells(db)
          const schemaOf = (id: number): Cell => {
            const cell = ready.find((one) => one.id === id)
            if (!cell) throw new OperatorError(`Cell ${id} is not ready.`)
            return cell
          }
          const fromCell = schemaOf(asked.fromCell)
          await enterSchema(from, fromCell.schema)
          await enterSchema(to, schemaOf(asked.toCell).schema)
          const all = await movedTables(from)
          const isLate = ({ name }: CopiedTable): boolean => late.has(name)
          const tables = all.filter((table) => !isLate(table))
          const endBeats = beat(given, asked.workspaceId)
          try {
            return await work({ ...given, ...asked, fromCell, from, to, tables, lateTables: all.filter(isLate), changes: 0 })
          } finally {
            await endBeats()
          }
        },
        signal,
      ),
    signal,
  )
}

const beatMs = 2_000

/** Shows to operators that the command goes on. Answers what ends it. */
function beat({ db, clock }: { db: Connection; clock: Clock }, workspaceId: number): () => Promise<void> {
  const stopping = new AbortController()
  const beating = (async () => {
    while (!stopping.signal.aborted) {
      await recordWorkspaceBeat(db, workspaceId).catch(() => undefined)
      await clock.sleep(beatMs, stopping.signal).catch(() => undefined)
    }
  })()
  return async () => {
    stopping.abort()
    await beating
  }
}

const late = new Set(['due', 'message_search_mark'])

async function requirePrivilege(client: pg.Client): Promise<void> {
  await inMovingTransaction(client, async () => undefined).catch((error: unknown) => {
    throw new OperatorError(
      `The database user may not set session_replication_role: as a superuser, GRANT SET ON PARAMETER session_replication_role TO the user (${(error as Error).message}). Nothing was changed.`,
    )
  })
}

/** In the new cell. Where nothing was copied, it needs no privilege. */
async function empty(move: Move, tables: readonly CopiedTable[]): Promise<void> {
  for (const table of tables)
    if (await hasRowsOf(move.to, { ...move, table })) await deleteRowsOf(move.to, { ...move, table, onRows: () => undefined })
}

/** Those of a cell that are of workspaces, without what moves themselves need. */
async function movedTables(client: pg.Client): Promise<CopiedTable[]> {
  const known = new Set(
    (await tableShapes(client)).filter(({ columns }) => columns.includes('workspace_id')).map(({ name }) => name),
  )
  return (await copiedTables(client)).filter(({ name }) => known.has(name) && !globalTables.includes(name))
}

/** What is known in the cells alone; nothing of the move is written before it. */
async function checkWhole({ from, to, workspaceId }: Move): Promise<void> {
  for (const client of [from, to]) await requirePrivilege(client)
  if (await isUndecided(databaseOf(from), workspaceId))
    throw new OperatorError(
      'Mail of the workspace is held after a restore: decide that first (facteur restore review). Nothing was changed.',
    )
}

/** Steps 1 and 2. */
async function fill(move: Move): Promise<void> {
  const { db, from, to, tables, lateTables, workspaceId, progress, onProgress, signal, failpoints } = move
  progress('Preparing the move')
  // A run that was killed may have left the gate closed.
  await letGo(move)
  // Workers of the new cell mark how far they have indexed. Nothing changes what is due but the rows that it shows.
  const guarded = [...tables, ...lateTables.filter(({ name }) => name !== 'due')]
  await captureWorkspace(to, { ...move, tables: guarded, part: 'closing' })
  const isWhole = await captureWorkspace(from, { ...move, part: 'open' })
  // What changed while a table was not captured is not known.
  if (!isWhole) await setCopiedTables(db, workspaceId, [])
  await failpoints.hit('workspace.captured')
  await addPartitions(move, move)
  const copied = await copiedTablesOf(db, workspaceId)
  progress(copied.length > 0 ? 'Copying the rows that an earlier run did not' : 'Copying the rows')
  const counts = new Map<string, number>()
  for (const table of tables) counts.set(table.name, await countRows(from, { workspaceId, table }))
  const all = Math.max(
    1,
    [...counts.values()].reduce((sum, count) => sum + count, 0),
  )
  let rows = 0
  for (const table of tables) {
    const count = counts.get(table.name) ?? 0
    if (!copied.includes(table.name)) {
      signal.throwIfAborted()
      await deleteRowsOf(to, { ...move, table, onRows: () => undefined })
      let bytes = 0
      await copyRowsOf(move, {
        ...{ workspaceId, table, signal },
        onBytes(more) {
          bytes += more
          const within = Math.min(count, bytes / bytesOfRow)
          onProgress({ step: 'rows', share: Math.min(1, (rows + within) / all), rows: Math.round(rows + within) })
        },
      })
      copied.push(table.name)
      await setCopiedTables(db, workspaceId, copied)
      await recordWorkspaceProgress(db, { workspaceId, share: Math.min(1, (rows + count) / all) })
      await failpoints.hit('workspace.copied_table')
    }
    rows += count
  }
  await failpoints.hit('workspace.copied')
  await catchUp(move)
}

/** For the progress within a table. */
const bytesOfRow = 300

/** A round that changes so few rows, or so quickly, leaves little for the last step. Of a busy database more must do, after some rounds. */
const little = { rows: 200, ms: 250 }
const busy = { rounds: 8, ms: 5_000 }
const roundsMax = 50

async function catchUp(move: Move, digests?: Map<string, CountedRows>): Promise<void> {
  const { clock, signal } = move
  for (let round = 0; round < roundsMax; round++) {
    signal.throwIfAborted()
    const beganAtMs = clock.monotonicMs()
    const rows = await applySnapshot(move, digests)
    const ms = clock.monotonicMs() - beganAtMs
    if (rows <= little.rows || ms < little.ms || (round >= busy.rounds && ms < busy.ms)) return
  }
  throw new OperatorError(
    'Changes come faster than the other cell takes them. Nothing was switched: run it again when less is written.',
  )
}

/** Workers of the new cell find rows there before they are refused, and may meet them in another order: who is chosen begins again. */
async function applySnapshot(move: Move, digests?: Map<string, CountedRows>): Promise<number> {
  const known = digests && [...digests]
  const rows = await retrying(() => {
    for (const [name, counted] of known ?? []) digests?.set(name, counted)
    return inTransactionOf(move.from, beginSnapshot, () => applyChangesOf(move, { ...move, digests }))
  })
  move.changes += rows
  return rows
}

/** Step 3. Answers the counts and digests that both have. */
async function compare(move: Move): Promise<Map<string, CountedRows>> {
  const { db, from, to, tables, workspaceId, progress, onProgress, signal, failpoints } = move
  progress('Comparing every row')
  const [expected, found] = [new Map<string, CountedRows>(), new Map<string, CountedRows>()]
  await inTransactionOf(from, beginSnapshot, async () => {
    move.changes += await applyChangesOf(move, { ...move, digests: undefined })
    for (const [at, table] of tables.entries()) {
      onProgress({ step: 'check', share: at / tables.length, rows: 0 })
      const [a, b] = await Promise.all([from, to].map((client) => digestRowsOf(client, { workspaceId, table, signal })))
      if (a && b) {
        expected.set(table.name, a)
        found.set(table.name, b)
      }
    }
  })
  await recordWorkspaceProgress(db, { workspaceId, share: 1 })
  const wrong = differing(expected, found)
  if (wrong.length > 0) {
    const copied = await copiedTablesOf(db, workspaceId)
    await setCopiedTables(
      db,
      workspaceId,
      copied.filter((name) => !wrong.includes(name)),
    )
    throw new OperatorError(
      `The copy differs in ${wrong.join(', ')}. Nothing was switched; the next run copies these tables again.`,
    )
  }
  await failpoints.hit('workspace.compared')
  return found
}

/** How long work in hand may take to end; how long a hold lasts where nobody ends it; and the pauses before further tries. */
const drainMs = 15_000
const holdSeconds = 30
const retryMs = [5_000, 15_000, 30_000]

/** Steps 4 and 5. Answers for how long the workspace waited. */
async function switchOver(move: Move, digests: Map<string, CountedRows>): Promise<number> {
  const { clock, progress, signal } = move
  for (let tries = 0; ; tries++) {
    // Nearly all of this is done before anybody waits.
    await raiseSequences(move.from, move.to)
    await catchUp(move, digests)
    const pauseMs = await trySwitch(move, digests)
    if (pauseMs !== null) return pauseMs
    const waitMs = retryMs[tries]
    if (waitMs === undefined)
      throw new OperatorError(
        `Work of the workspace did not end within ${drainMs / 1_000} s, in ${tries + 1} tries. Nothing was switched: the same command goes on.`,
      )
    progress(
      `Work in hand did not end within ${drainMs / 1_000} s: the workspace goes on, and the next try comes in ${waitMs / 1_000} s`,
    )
    await clock.sleep(waitMs, signal)
  }
}

async function trySwitch(move: Move, digests: Map<string, CountedRows>): Promise<number | null> {
  const { db, clock, workspaceId, progress, failpoints } = move
  progress('Holding the workspace')
  const beganAtMs = clock.monotonicMs()
  // The variant that the tests must notice: nothing waits, and the old cell takes what comes.
  const isOpen = failpoints.broken('workspace.gate')
  try {
    await holdWorkspace(db, workspaceId, holdSeconds)
    if (!isOpen) await announceCells(db, move.fromCell.id)
    await failpoints.hit('workspace.held')
    if (!isOpen && !(await drain(move))) {
      await letGo(move)
      return null
    }
    await failpoints.hit('workspace.closed')
    await applySnapshot(move, digests)
    await copyLate(move)
    await raiseSequences(move.from, move.to)
    await failpoints.hit('workspace.before_switch')
    await decide(move, digests)
  } catch (error) {
    const now = (await workspaceMoves(db)).find((each) => each.workspaceId === workspaceId)
    // Whether the commit arrived is not known where the connection was lost with it.
    if (now?.state !== 'moved') {
      await letGo(move)
      throw error
    }
  }
  const pauseMs = Math.round(clock.monotonicMs() - beganAtMs)
  await failpoints.hit('workspace.switched')
  return pauseMs
}

/** True: nothing of the workspace is in anybody's hands, and the old cell refuses its changes. */
async function drain(move: Move): Promise<boolean> {
  const { clock, workspaceId, signal } = move
  const old = databaseOf(move.from)
  const endsAtMs = clock.monotonicMs() + drainMs
  while (clock.monotonicMs() < endsAtMs) {
    signal.throwIfAborted()
    if ((await heldRows(old, workspaceId)) === 0) {
      await closeGate(old, workspaceId)
      if ((await heldRows(old, workspaceId)) === 0) return true
      // A process that had not heard of it has claimed in between, and has to record what becomes of that.
      await openGate(old, workspaceId)
    }
    await clock.sleep(20)
  }
  return false
}

/** A handful of rows. Without the switch they go again. */
async function copyLate(move: Move): Promise<void> {
  const { to, lateTables, workspaceId, signal } = move
  for (const table of lateTables) {
    await deleteRowsOf(to, { ...move, table, onRows: () => undefined })
    await copyRowsOf(move, { workspaceId, table, signal, onBytes: () => undefined })
  }
}

async function letGo(move: Move): Promise<void> {
  const { db, from, workspaceId, fromCell } = move
  await empty(move, move.lateTables)
  await openGate(databaseOf(from), workspaceId)
  if (await releaseWorkspace(db, workspaceId, { onlyOverdue: false })) await announceCells(db, fromCell.id)
}

const databaseOf = (client: pg.Client): Database => createDatabase((statement) => client.query(statement))

/** No row of it is looked for in the old cell any more: neither by workers, nor where a process has not heard of it. */
async function decide({ to, workspaceId, fromCell, toCell }: Move, digests: Map<string, CountedRows>): Promise<void> {
  await inMovingTransaction(to, async () => {
    const tx = databaseOf(to)
    if (!(await switchWorkspace(tx, { workspaceId, digests })))
      throw new OperatorError(
        'The last step took too long: the workspace goes on in its cell. Nothing was switched; the same command goes on.',
      )
    await leaveCell(to, { workspaceId, fromSchema: fromCell.schema })
    await announceCells(tx, fromCell.id)
    await wakeCell(tx, toCell)
  })
}

/** Calls that began before the hold may still read in the old cell. */
const readersMs = 3_000

/** Step 6, and what a run that was killed after the switch has left. */
async function clear(move: Move): Promise<MovedWorkspace> {
  const { db, from, to, workspaceId, fromCell, toCell, progress, onProgress, signal, failpoints } = move
  const tables = [...move.tables, ...move.lateTables]
  for (const client of [from, to]) await requirePrivilege(client)
  // The new cell is an ordinary one for the workspace from here on.
  await endWorkspaceCapture(to, move)
  const moved = await digestsOfSwitch(db, workspaceId)
  const all = [...moved.values()].reduce((sum, { rows }) => sum + rows, 0)
  await move.clock.sleep(readersMs, signal)
  progress('Deleting the rows in the old cell')
  let rows = 0
  for (const table of tables) {
    const known = moved.get(table.name)
    const found = await digestRowsOf(from, { workspaceId, table, signal })
    // What an earlier run has deleted in part cannot be compared any more; due rows went with the switch.
    if (
      known &&
      found.rows >= known.rows &&
      found.rows > 0 &&
      differing(new Map([[table.name, known]]), new Map([[table.name, found]])).length > 0
    )
      throw new OperatorError(
        `The rows of ${table.name} in cell ${fromCell.id} are not those that have moved: something has written there since. They were left; nothing reads them.`,
      )
    await deleteRowsOf(from, {
      ...{ workspaceId, table, signal },
      onRows(deleted) {
        rows += deleted
        onProgress({ step: 'clearing', share: Math.min(1, rows / Math.max(1, all)), rows })
      },
    })
    await failpoints.hit('workspace.cleared_table')
  }
  await recordCleared(db, workspaceId)
  return { fromCell: fromCell.id, toCell, tables: tables.length, rows: all, changes: move.changes, pauseMs: null }
}
