/**
 * The loop of a lane: finds the workspaces with due work, serves them, and sleeps until woken or
 * until the next one is due.
 */
import type { Service } from '../../core/context.ts'
import { dueWorkspaces, msUntilDue, type DueLane } from '../../db/sending/due.ts'

export interface LaneLoop {
  /** Looks for work now. */
  wake(): void
  ended: Promise<void>
}

/** Skips a workspace for so many milliseconds. */
export type Skip = (workspaceId: number, ms: number) => void

/**
 * Longest sleep of a lane without a hint: other processes' hints may be lost with their connection.
 */
const napMaxMs = 1000
/** Workspaces that one round serves. */
export const workspacesAtOnce = 50

/**
 * Serves what is due, the longest waiting first, until `stopping`; `rest` skips a workspace for a
 * while, and `idle` does so until the lane is woken. The answer of `serve` is how long to sleep, in
 * milliseconds. Null means until a workspace is due.
 */
export function startLaneLoop(
  service: Service,
  { lane, stopping }: { lane: DueLane; stopping: AbortSignal },
  serve: (due: number[], rest: Skip, idle: Skip) => Promise<number | null>,
): LaneLoop {
  const { clock, db, log } = service
  const restsUntilMs = new Map<number, number>()
  const idleUntilMs = new Map<number, number>()
  let isWoken = false
  let interrupt: (() => void) | null = null
  const nap = async (ms: number): Promise<void> => {
    if (isWoken || ms === 0) return
    const waking = new AbortController()
    interrupt = () => waking.abort()
    await clock.sleep(ms, AbortSignal.any([waking.signal, stopping])).catch(() => undefined)
    interrupt = null
  }
  const skip =
    (untilMs: Map<number, number>): Skip =>
    (workspaceId, ms) =>
      void untilMs.set(workspaceId, clock.monotonicMs() + ms)
  const skipped = (untilMs: Map<number, number>): number[] => {
    for (const [workspaceId, endsAtMs] of untilMs)
      if (endsAtMs <= clock.monotonicMs()) untilMs.delete(workspaceId)
    return [...untilMs.keys()]
  }
  const msUntilIdleEnds = (): number => Math.min(...idleUntilMs.values()) - clock.monotonicMs()
  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        if (isWoken) idleUntilMs.clear()
        isWoken = false
        const leftOut = [
          ...skipped(restsUntilMs),
          ...skipped(idleUntilMs),
          ...service.databases.pausedWorkspaces(),
        ]
        const due = await dueWorkspaces(db, lane, workspacesAtOnce, leftOut)
        const napMs = await serve(due, skip(restsUntilMs), skip(idleUntilMs))
        const untilDueMs = async (): Promise<number> =>
          Math.min(napMaxMs, msUntilIdleEnds(), (await msUntilDue(db, lane, leftOut)) ?? napMaxMs)
        await nap(napMs ?? Math.max(1, await untilDueMs()))
      } catch (error) {
        log.error({ err: error, lane }, 'The workers could not look for work; they try again')
        await nap(napMaxMs)
      }
    }
  }
  return {
    wake() {
      isWoken = true
      interrupt?.()
    },
    ended: run(),
  }
}
