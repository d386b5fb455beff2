/**
 * Chooses the database of a workspace. Workspaces live in cells, which are schemas, and a process
 * has one service, or one connection, for each of them (docs/decisions/0060-cells.md). Verbs know
 * none of that: to them, a workspace has a database.
 *
 * An installation with one cell never asks. With several, `src/main/cells.ts` finds that of a
 * workspace. A process may go on for a second with the one that a workspace has left. That is safe:
 * a move refuses what is done there, and ends only once that time is over.
 */
import { ApiError } from '../contract/errors.ts'
import { cells, chooseCell, findCellOf } from '../database/cells/cells.ts'
import type { Database } from '../database/client/database.ts'
import { refusedByMove } from '../database/client/database-errors.ts'

/** The services of a process for each database. */
export interface Databases<Each> {
  /** Of number 1, where the global tables are. */
  readonly home: Each
  /** False if all workspaces are in `home`. */
  readonly hasSeveral: boolean
  /** Of the databases that are open, that of number 1 first. */
  open(): Each[]
  /**
   * Of the database of a workspace; `home` where there is no such workspace. Rejects with 503 while
   * it cannot be opened.
   */
  of(workspaceId: number): Each | Promise<Each>
  /**
   * As `of`, without waiting where the workspace is held: for mail in hand, which its move waits
   * for.
   */
  ofPaused(workspaceId: number): Each | Promise<Each>
  /** Of a database by its number. Rejects while it cannot be opened. */
  at(databaseId: number): Each | Promise<Each>
  /** Workspaces whose calls and work wait, for the last step of their move to another database. */
  pausedWorkspaces(): ReadonlySet<number>
}

/** Of a process that knows one database and no other. */
export const oneDatabase = <Each>(home: () => Each): Databases<Each> => ({
  get home() {
    return home()
  },
  hasSeveral: false,
  open: () => [home()],
  of: home,
  ofPaused: home,
  at: home,
  pausedWorkspaces: () => nobody,
})

const nobody: ReadonlySet<number> = new Set()

interface InDatabase<Each> {
  databaseId: number
  databases: Databases<Each>
}

/**
 * Returns the services of the workspace's database; the given ones if they are of it already, such
 * as with a clock of its own.
 */
export function ofWorkspace<Each extends InDatabase<Each>>(
  each: Each,
  workspaceId: number,
): Each | Promise<Each> {
  if (!each.databases.hasSeveral) return each
  const choose = (result: Each): Each => (result.databaseId === each.databaseId ? each : result)
  const match = each.databases.of(workspaceId)
  return match instanceof Promise ? match.then(choose) : choose(match)
}

/**
 * Does the work in the database of a workspace. What it fails for in one that the workspace has
 * left meanwhile may be that its rows are gone there: then it rejects with 503.
 */
export async function inDatabaseOf<Each extends InDatabase<Each>, Result>(
  each: Each,
  workspaceId: number,
  work: (at: Each) => Promise<Result>,
): Promise<Result> {
  const at = await ofWorkspace(each, workspaceId)
  try {
    return await work(at)
  } catch (error) {
    const now = await ofWorkspace(at, workspaceId)
    throw now.databaseId === at.databaseId ? error : changingDatabase(1)
  }
}

/** The refusal of a change that the last step of a move refused. Null means it failed otherwise. */
export const refusalByChange = (error: unknown): ApiError | null =>
  refusedByMove(error) ? changingDatabase(1) : null

/** Refuses a call whose workspace is about to be in another database. */
export const changingDatabase = (retryAfterSeconds: number): ApiError =>
  new ApiError('internal_error', { reason: 'changing_cell' }, retryAfterSeconds, 503)

/**
 * Chooses the database of a new workspace: that of the workspace whose quota it shares, because a
 * process debits the quota in the statement that admits a mail; or the one that the operator names;
 * or the one with the fewest workspaces. Throws `UnknownCell`.
 */
export async function chooseDatabase(
  db: Database,
  { quotaOf, databaseId }: { quotaOf?: number | null; databaseId?: number | null } = {},
): Promise<number> {
  const shared = typeof quotaOf === 'number' ? await findCellOf(db, quotaOf) : null
  if (shared !== null) return shared
  if (typeof databaseId !== 'number') return chooseCell(db)
  if ((await cells(db)).some(({ id }) => id === databaseId)) return databaseId
  throw new UnknownCell(databaseId)
}

/** The operator named a cell that does not exist or is not ready. */
export class UnknownCell extends Error {
  constructor(cell: number) {
    super(`There is no cell ${cell} that is ready`)
  }
}

/**
 * Makes something once for each database, at its first use, such as statements that callers share.
 */
export function madeForEach<Each extends object, Made>(
  make: (each: Each) => Made,
): (each: Each) => Made {
  const byEach = new WeakMap<Each, Made>()
  return (each) => {
    const known = byEach.get(each) ?? make(each)
    byEach.set(each, known)
    return known
  }
}
