/**
 * Opens the cells of an installation and finds that of a workspace (core/databases.ts,
 * docs/decisions/0060-cells.md).
 *
 * With several cells, that of a workspace is asked for once, and is cached until any cell changes:
 * a notification says so at once, and each second's look at the latest. A process that could not
 * look for two seconds asks again before it uses what it knows.
 */
import { repeatEvery, type Clock } from '../ground/clock.ts'
import { ApiError } from '../contract/errors.ts'
import { changingDatabase, type Databases } from '../core/databases.ts'
import { cellStates, homeCell } from '../database/cells/cell-changes.ts'
import { findCellOf, knownMs, type Cell } from '../database/cells/cells.ts'
import type { Database } from '../database/client/database.ts'
import type { Log } from '../ground/log.ts'
import { setLast } from '../ground/set-last.ts'

const pollEveryMs = 1_000
const workspacesKept = 100_000
/**
 * How long a call waits for the last step of a move before it is refused, and how often it looks.
 */
const [pauseMs, pausePollMs] = [3_000, 50]

interface UnpausedMove {
  workspaceId: number
  /** Its hold was not ended in time. */
  isOverdue: boolean
}

export interface CellsOptions<Each> {
  /** Of the global tables. */
  db: Database
  clock: Clock
  log: Pick<Log, 'warn' | 'info'>
  /** Makes what is of cell 1, which may keep the cells and ask them later. */
  home(cells: OpenCells<Each>): Each
  /**
   * Opens another cell. It rejects while the cell does not answer, and is tried again at each look.
   */
  openCell(cell: Cell): Promise<Each>
  /**
   * Lets a workspace go on in its cell, whose move does not hold it, or for too long. Answers
   * whether there was something to do.
   */
  release?(each: Each, move: UnpausedMove): Promise<boolean>
}

/** The cells of an installation, as this process has opened them. */
export class OpenCells<Each> implements Databases<Each> {
  readonly home: Each
  hasSeveral = false
  readonly #options: CellsOptions<Each>
  readonly #open: Map<number, Each>
  readonly #opening = new Map<number, Promise<Each>>()
  readonly #failed = new Set<number>()
  #ofWorkspaces = new Map<number, Each>()
  #finding = new Map<number, Promise<Each>>()
  #version = ''
  #readAtMs = -Infinity
  #looking: Promise<void> | null = null
  #held: ReadonlySet<number> = new Set()
  readonly #releasing = new Set<number>()

  constructor(options: CellsOptions<Each>) {
    this.#options = options
    this.home = options.home(this)
    this.#open = new Map([[homeCell.id, this.home]])
  }

  open(): Each[] {
    return [...this.#open.values()]
  }

  of(workspaceId: number): Each | Promise<Each> {
    if (workspaceId === 0) return this.home
    if (this.#isOutdated()) return this.poll().then(() => this.of(workspaceId))
    return this.#held.has(workspaceId) ? this.#afterHold(workspaceId) : this.ofPaused(workspaceId)
  }

  ofPaused(workspaceId: number): Each | Promise<Each> {
    if (workspaceId === 0) return this.home
    if (this.#isOutdated()) return this.poll().then(() => this.ofPaused(workspaceId))
    return this.#ofWorkspaces.get(workspaceId) ?? this.#find(workspaceId)
  }

  at(cell: number): Each | Promise<Each> {
    return this.#open.get(cell) ?? this.poll().then(() => this.#opened(cell))
  }

  pausedWorkspaces(): ReadonlySet<number> {
    return this.#held
  }

  /** Opens cells that were added, and forgets where workspaces are once any cell has changed. */
  poll(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = null))
    return this.#looking
  }

  /** Looks each second, until `stopping`. The notifications of others come in between. */
  keepPolling(stopping: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    return repeatEvery(clock, { everyMs: pollEveryMs, stopping, restsFirst: true }, () =>
      this.poll().catch((error: unknown) =>
        log.warn({ err: error }, 'Changes of cells could not be read; the next look tries again'),
      ),
    )
  }

  /** Resolves once every cell is open, or could not be opened. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#opening.values())
  }

  async #look(): Promise<void> {
    const { db, clock } = this.#options
    const requestedAtMs = clock.monotonicMs()
    const states = await cellStates(db)
    this.#readAtMs = requestedAtMs
    const version = states.map(({ id, version: each }) => `${id} ${each}`).join()
    if (version !== this.#version) {
      this.#version = version
      this.hasSeveral = states.some(({ id }) => id !== homeCell.id)
      // New maps: an answer that was asked for before is stored in one that nobody reads.
      this.#ofWorkspaces = new Map()
      this.#finding = new Map()
    }
    this.#held = new Set(states.flatMap(({ paused }) => paused))
    for (const { id, overdue, unpaused } of states) {
      for (const workspaceId of overdue) this.#release(id, { workspaceId, isOverdue: true })
      for (const workspaceId of unpaused) this.#release(id, { workspaceId, isOverdue: false })
    }
    for (const cell of states)
      if (!this.#open.has(cell.id) && !this.#opening.has(cell.id)) this.#begin(cell)
  }

  /** Other workspaces never come here. */
  async #afterHold(workspaceId: number): Promise<Each> {
    const { clock } = this.#options
    for (
      const endsAtMs = clock.monotonicMs() + pauseMs;
      this.#held.has(workspaceId);
      await clock.sleep(pausePollMs)
    )
      if (clock.monotonicMs() > endsAtMs) throw changingDatabase(retryAfterSeconds)
    return this.of(workspaceId)
  }

  /**
   * The command that moves it was killed, and the next one goes on where it was. One try at a time:
   * it may wait for writers.
   */
  #release(cell: number, move: UnpausedMove): void {
    const { release, log } = this.#options
    const { workspaceId } = move
    const each = this.#open.get(cell)
    if (each === undefined || release === undefined || this.#releasing.has(workspaceId)) return
    this.#releasing.add(workspaceId)
    release(each, move)
      .then((isReleased) => {
        if (isReleased)
          log.warn(
            { workspaceId },
            'The move of a workspace was cut off in its last step: the workspace goes on in its cell',
          )
      })
      .catch((error: unknown) =>
        log.warn(
          { err: error, workspaceId },
          'A workspace could not be released from its move; the next look tries again',
        ),
      )
      .finally(() => this.#releasing.delete(workspaceId))
  }

  #begin(cell: Cell): void {
    const { openCell, log } = this.#options
    const opening = openCell(cell).finally(() => this.#opening.delete(cell.id))
    this.#opening.set(cell.id, opening)
    opening.then(
      (each) => {
        this.#open.set(cell.id, each)
        if (this.#failed.delete(cell.id))
          log.info({ cell: cell.id }, 'The cell answers: it is open')
      },
      (error: unknown) => {
        if (!this.#failed.has(cell.id))
          log.warn(
            { err: error, cell: cell.id },
            'A cell could not be opened; each look tries again',
          )
        this.#failed.add(cell.id)
      },
    )
  }

  #isOutdated(): boolean {
    return this.#options.clock.monotonicMs() - this.#readAtMs > knownMs
  }

  /** Concurrent callers share one statement. */
  #find(workspaceId: number): Promise<Each> {
    const finding = this.#finding
    const opening =
      finding.get(workspaceId) ?? this.#ask(workspaceId).finally(() => finding.delete(workspaceId))
    finding.set(workspaceId, opening)
    return opening
  }

  async #ask(workspaceId: number): Promise<Each> {
    const known = this.#ofWorkspaces
    const cell = await findCellOf(this.#options.db, workspaceId)
    if (cell === null) return this.home
    const each = await this.at(cell)
    setLast(known, workspaceId, each, workspacesKept)
    return each
  }

  #opened(cell: number): Each | Promise<Each> {
    const each =
      this.#open.get(cell) ?? this.#opening.get(cell)?.catch(() => Promise.reject(cellIsAway()))
    if (each === undefined) throw cellIsAway()
    return each
  }
}

/** Each second's look tries to open it, and the last step of a move is soon over. */
const retryAfterSeconds = 2

const cellIsAway = (): ApiError => new ApiError('internal_error', {}, retryAfterSeconds, 503)
