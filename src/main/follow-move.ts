/**
 * Lets a process of the service follow its installation to another database, without a restart
 * (docs/decisions/0050-moves.md). It looks at the state of a copy, and does for each what the copy
 * waits for:
 *
 * - copying: says that it is there, and whether it can reach the target,
 * - draining: refuses new data, and lets the work under way end,
 * - frozen: keeps its statements back,
 * - moved: sends them to the target, and works on.
 *
 * A copy that falls silent before it has moved lets all processes go on as before.
 */
import { randomUUID } from 'node:crypto'
import { waitAtMost } from '../ground/clock.ts'
import { ApiError } from '../contract/errors.ts'
import { connect, type Connection } from '../database/client/connect.ts'
import {
  databaseCopy,
  isCopyRunning,
  recordProcess,
  type DatabaseCopy,
  type ProcessState,
} from '../database/transport/copy-state.ts'
import type { Context } from '../core/context.ts'
import type { Intake } from '../core/intake.ts'
import { activateTarget } from '../core/restore/activate-target.ts'

export interface FollowMove {
  /** Lets nothing in while a move asks for that. */
  intake: Intake
  connectionString: string
  /**
   * Ends the work of this process; resolves when all of it has ended, or as much as does in time.
   */
  pause(): Promise<void>
  resume(): void
  /** Keeps statements back; `moveTo` sends them to another database, `release` lets them go. */
  pauseStatements(): Promise<void>
  release(): void
  moveTo(connectionString: string): void
  /** Rejects when this process cannot reach the target. */
  reach(sealedTarget: Buffer): Promise<void>
  /** Opens the target for as long as the process runs. */
  open(sealedTarget: Buffer): Promise<{ connectionString: string }>
  /** Nothing reads the former database any more: only that in use stays open. */
  closeFormer(): Promise<void>
}

export interface MoveFollower {
  /** Whether the switch keeps statements back, for no longer than it may take. */
  isPaused(): boolean
  /**
   * The process stops: it follows a move all the same, for its last outcomes, but begins no work
   * again.
   */
  leave(): void
  /**
   * Call it when everything is written: statements that are still kept back go where the
   * installation is as far as is known.
   */
  stop(): Promise<void>
}

/** Pauses between two looks: without a copy, and during one. */
const [calmMs, busyMs] = [1_000, 50]
/** A copy that is silent for longer is not waited for. */
const quietSecondsMax = 30
const retryAfterSeconds = 3
/**
 * How long statements under way may take to end; locks of the copy hold those back that take
 * longer.
 */
const pauseMs = 5_000

const refusal = (): ApiError =>
  new ApiError('internal_error', { reason: 'moving' }, retryAfterSeconds, 503)

export function followMoves(
  ctx: Pick<Context, 'countingDb' | 'clock' | 'log'>,
  options: FollowMove,
): MoveFollower {
  const { clock, log } = ctx
  const processId = randomUUID()
  const stopping = new AbortController()
  let isLeaving = false
  let connectionString = options.connectionString
  /** A connection of its own is none that is kept back. */
  let watch = null as Connection | null
  let own = 'working' as ProcessState
  let refuses = false
  let pausedAtMs = null as number | null
  /** What goes on beside the looks; it ends in the next state. */
  let step = null as Promise<void> | null

  const goTo = (work: () => Promise<void>, next: ProcessState): void => {
    step ??= work()
      .then(() => void (own = next))
      .catch((error: unknown) => {
        log.error(
          { err: error, next },
          'This process cannot follow the copy of the database; it tries again',
        )
        return clock.sleep(calmMs, stopping.signal).catch(() => undefined)
      })
      .finally(() => (step = null))
  }
  const pauseNow = async (): Promise<void> => {
    pausedAtMs ??= clock.monotonicMs()
    await waitAtMost(clock, pauseMs, options.pauseStatements())
  }
  const resume = (): void => {
    options.release()
    pausedAtMs = null
    if (refuses && !isLeaving) options.resume()
    refuses = false
    options.intake.pause = null
  }
  /** The copy has not moved, and goes no further for now. */
  const goOn = (): void => {
    resume()
    own = 'working'
  }
  const pause = async (): Promise<void> => {
    if (refuses) return
    refuses = true
    options.intake.pause = refusal
    await options.pause()
  }
  const reach = (copy: DatabaseCopy) => async (): Promise<void> => {
    await options.reach(copy.sealedTarget)
    own = 'working'
  }
  const follow = (copy: DatabaseCopy) => async (): Promise<void> => {
    await pause()
    await pauseNow()
    const opened = await options.open(copy.sealedTarget)
    // The command may have been killed right after the decision.
    await activateTarget(opened.connectionString)
    connectionString = opened.connectionString
    options.moveTo(connectionString)
    resume()
    log.info(
      { to: copy.target },
      'The installation has moved to another database; this process works there now',
    )
  }
  const closeFormer = async (): Promise<void> => {
    await watch?.end()
    watch = null
    await options.closeFormer()
    own = 'working'
  }
  const act = (copy: DatabaseCopy): void => {
    const isQuiet = copy.quietSeconds > quietSecondsMax
    if (copy.state === 'moved') return own === 'moved' ? undefined : goTo(follow(copy), 'moved')
    if (isQuiet || copy.state === 'copying') {
      if (step === null && refuses) goOn()
      if (own === 'unreachable') goTo(reach(copy), 'working')
      // A process that has started during the switch does not know yet whether it reaches the
      // target; it writes all the same.
    } else if (copy.state === 'draining' && (own === 'working' || own === 'unreachable'))
      goTo(pause, 'drained')
    else if (copy.state === 'frozen' && own !== 'frozen')
      goTo(async () => {
        await pause()
        await pauseNow()
      }, 'frozen')
  }
  /** Answers how long to wait for the next look. */
  const poll = async (): Promise<number> => {
    const copy = await databaseCopy(watch ?? ctx.countingDb)
    const isOver = copy === null || (copy.state !== 'moved' && copy.quietSeconds > quietSecondsMax)
    if (isOver && watch === null) return calmMs
    if (isOver) {
      if (step !== null) return busyMs
      if (refuses) goOn()
      await watch?.end()
      watch = null
      return calmMs
    }
    if (watch === null) {
      watch = connect({ connectionString, poolSize: 1, applicationName: 'facteur move' })
      own = 'unreachable'
    }
    act(copy)
    const recorded = own
    await recordProcess(watch, processId, recorded)
    // A step may have ended meanwhile: the next poll says so before anything is closed.
    if (recorded === 'moved' && !(await isCopyRunning(watch))) {
      await closeFormer()
      return calmMs
    }
    return busyMs
  }
  const polling = (async () => {
    while (!stopping.signal.aborted) {
      // Other parts log an unavailable database.
      const waitMs = await poll().catch(() => calmMs)
      await clock.sleep(waitMs, stopping.signal).catch(() => undefined)
    }
    await step
    // A command that still reads a former embedded database keeps it; the next start stops it.
    const isRead =
      own === 'moved' && watch !== null && (await isCopyRunning(watch).catch(() => false))
    await watch?.end()
    if (!isRead) await options.closeFormer()
  })()
  return {
    isPaused: () =>
      pausedAtMs !== null && clock.monotonicMs() - pausedAtMs < quietSecondsMax * 1_000,
    leave() {
      isLeaving = true
    },
    async stop() {
      isLeaving = true
      stopping.abort()
      options.release()
      await polling
    },
  }
}
