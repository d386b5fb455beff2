/** The loop of a lane: finds the workspaces with due work, serves them, and sleeps until woken or until the next one is due. */
import type { Service } from '../../core/context.ts'
import { dueWorkspaces, msUntilDue, type DueLane } from '../../db/sending/due.ts'

export interface LaneLoop {
  /** Looks for work now. */
  wake(): void
  ended: Promise<void>
}

/** Longest sleep of a lane without a hint: other processes' hints may be lost with their connection. */
const napMaxMs = 1000
/** Workspaces that one round serves. */
export const workspacesAtOnce = 50

/**
 * Serves what is due, the longest waiting first, until `stopping`; `rest` skips a workspace for a while. The answer of `serve` is
 * how long to sleep, in milliseconds; null: until a workspace is due.
 */
export function startLaneLoop(
  service: Service,
  { lane, stopping }: { lane: DueLane; stopping: AbortSignal },
  serve: (due: number[], rest: (workspaceId: number, ms: number) => void) => Promise<number | null>,
): LaneLoop {
  const { clock, db, log } = service
  const restsUntilMs = new Map<number, number>()
  let isWoken = false
  let interrupt: (() => void) | null = null
  const nap = async (ms: number): Promise<void> => {
    if (isWoken || ms === 0) return
    const waking = new AbortController()
    interrupt = () => waking.abort()
    await clock.sleep(ms, AbortSignal.any([waking.signal, stopping])).catch(() => undefined)
    interrupt = null
  }
  const rest = (workspaceId: number, ms: number): void => void restsUntilMs.set(workspaceId, clock.monotonicMs() + ms)
  const resting = (): number[] => {
    for (const [workspaceId, untilMs] of restsUntilMs) if (untilMs <= clock.monotonicMs()) restsUntilMs.delete(workspaceId)
    return [...restsUntilMs.keys()]
  }
  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        isWoken = false
        const leftOut = resting()
        const napMs = await serve(await dueWorkspaces(db, lane, workspacesAtOnce, leftOut), rest)
        await nap(napMs ?? Math.min(napMaxMs, Math.max(1, (await msUntilDue(db, lane, leftOut)) ?? napMaxMs)))
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
