/**
 * The connections of a move of a workspace, in both cells, with what its steps share; and the locks
 * that it holds.
 */
import type pg from 'pg'
import type { Clock } from '../../../ground/clock.ts'
import { tableShapes } from '../table-shapes.ts'
import { cells, type Cell } from '../../cells/cells.ts'
import { globalTables } from '../../schema/global-tables.ts'
import { recordWorkspaceBeat, type WorkspaceMove } from './workspace-moves.ts'
import type { Connection } from '../../client/connect.ts'
import type { Database } from '../../client/database.ts'
import { databaseOn } from '../../client/camel-case-rows.ts'
import { copiedTables, type CopiedTable } from '../copied-tables.ts'
import { withCopyClient } from '../copy-client.ts'
import { takeCopyLocks } from '../copy-state.ts'
import { enterSchema } from './workspace-target.ts'
import { lateTables } from '../../schema/late-tables.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { Failpoints } from '../../../ground/failpoints.ts'

export interface WorkspaceMoveProgress {
  step: 'rows' | 'check' | 'clearing'
  /** From 0 to 1, within the step. */
  share: number
  rows: number
}

/** The knowledge about rows that a move gets from its caller. */
export interface MovedRows {
  /** Lanes of the workers that look for work of a workspace. */
  lanes: readonly string[]
  /**
   * Why a workspace cannot be moved now, for the operator, by the global tables and by its cell.
   */
  whyNot(home: Database, workspace: { id: number; slug: string }): Promise<string | null>
  whyNotInCell(cell: Database, workspaceId: number): Promise<string | null>
  /** How many of its rows a process of the service has in its hands. */
  countWithheld(cell: Database, workspaceId: number): Promise<number>
}

export interface MoveWorkspace {
  connectionString: string
  workspace: { id: number; slug: string; cell: number }
  toCell: number
  moved: MovedRows
  clock: Clock
  failpoints: Failpoints | null
  /** A few words about each step. */
  progress(text: string): void
  onProgress(progress: WorkspaceMoveProgress): void
  signal: AbortSignal
}

export interface OpenMove extends MoveWorkspace {
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

/** How long the upkeep of partitions may take that runs at this moment. */
const upkeepMs = 60_000

/** One move or copy at a time, and no partition comes or goes behind the triggers. */
export async function takeMoveLocks(
  { clock, progress, signal }: Pick<MoveWorkspace, 'clock' | 'progress' | 'signal'>,
  locks: Database,
): Promise<void> {
  for (const endsAtMs = clock.monotonicMs() + upkeepMs; ; await clock.sleep(200, signal)) {
    const taken = await takeCopyLocks(locks)
    if (taken === 'taken') return
    if (taken === 'copying')
      throw new OperatorError(
        'Another move, or a copy of this database, is running. It was left alone.',
      )
    if (clock.monotonicMs() > endsAtMs)
      throw new OperatorError('The upkeep of partitions has not ended: try again later.')
    progress('Waiting for the upkeep of partitions')
  }
}

type AskedMove = Pick<WorkspaceMove, 'workspaceId' | 'fromCell' | 'toCell'>

export function withOpenMove<T>(
  options: MoveWorkspace & { db: Connection },
  request: AskedMove,
  work: (move: OpenMove) => Promise<T>,
): Promise<T> {
  const { connectionString, signal, db } = options
  return withCopyClient(
    connectionString,
    (from) =>
      withCopyClient(
        connectionString,
        async (to) => {
          const ready = await cells(db)
          const schemaOf = (id: number): Cell => {
            const cell = ready.find((item) => item.id === id)
            if (!cell) throw new OperatorError(`Cell ${id} is not ready.`)
            return cell
          }
          const fromCell = schemaOf(request.fromCell)
          await enterSchema(from, fromCell.schema)
          await enterSchema(to, schemaOf(request.toCell).schema)
          const all = await movedTables(from)
          const isLate = ({ name }: CopiedTable): boolean => lateTables.includes(name)
          const tables = all.filter((table) => !isLate(table))
          const endBeats = beat(options, request.workspaceId)
          try {
            return await work({
              ...options,
              ...request,
              fromCell,
              from,
              to,
              tables,
              lateTables: all.filter(isLate),
              changes: 0,
            })
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
function beat(
  { db, clock }: { db: Connection; clock: Clock },
  workspaceId: number,
): () => Promise<void> {
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

/** Those of a cell that are of workspaces, without what moves themselves need. */
async function movedTables(client: pg.Client): Promise<CopiedTable[]> {
  const known = new Set(
    (await tableShapes(client))
      .filter(({ columns }) => columns.includes('workspace_id'))
      .map(({ name }) => name),
  )
  return (await copiedTables(client)).filter(
    ({ name }) => known.has(name) && !globalTables.includes(name),
  )
}

export const databaseOfClient = (client: pg.Client): Database => databaseOn(client)
