/** All background work on one screen: who wakes it, in which turns, and how it stops. Claim → work → settle. */
import type { Service } from '../../core/context.ts'
import { silenceSeconds } from '../../core/sending/record-outcome.ts'
import { dueWorkspaces, msUntilDue } from '../../db/due.ts'
import type { DueLane } from '../../db/due.ts'
import { allWorkspaces } from '../../db/workspaces.ts'
import { forgetCounters } from '../../db/request-rates.ts'
import { forgetIdempotencyKeys } from '../../db/idempotency-keys.ts'
import { createDeliverDue } from './deliver-due.ts'
import type { Turn } from './deliver-due.ts'
import { giveFeedback } from './give-feedback.ts'

export interface Workers {
  /** Looks at a lane now. */
  wake(lane: DueLane): void
  /** Claims nothing more, waits for what is in flight; answers how many rows stay leased and will be in doubt. */
  stop(withinMs: number): Promise<{ leftLeased: number }>
}

/** Longest sleep of a lane that nobody wakes: other processes' hints may be lost with their connection. */
const napMaxMs = 1000
/** Sleep of a lane whose work found no place: the end of any hand-off wakes it sooner. */
const fullMs = 50
/** Least time between two turns that leave nothing due: what comes meanwhile is claimed together. */
const paceMs = 5
const workspacesAtOnce = 50

export function startWorkers(service: Service): Workers {
  const stopping = new AbortController()
  const loops = {
    transactional: startLoop(service, stopping.signal, 'transactional', createDeliverDue(service)),
    feedback: startLoop(service, stopping.signal, 'feedback', (workspaceId) =>
      giveFeedback(service, workspaceId, silenceSeconds(service)),
    ),
  }
  const tidying = startTidying(service, stopping.signal)
  return {
    wake: (lane) => {
      if (lane in loops) loops[lane as keyof typeof loops].wake()
    },
    async stop(withinMs) {
      stopping.abort()
      const endsAtMs = service.clock.monotonicMs() + withinMs
      const ended = new AbortController()
      const late = service.clock.sleep(withinMs, ended.signal).catch(() => undefined)
      await Promise.race([Promise.all([loops.transactional.ended, loops.feedback.ended, tidying]), late])
      ended.abort()
      while (service.sending.held() > 0 && service.clock.monotonicMs() < endsAtMs) await service.clock.sleep(20)
      return { leftLeased: service.sending.held() }
    },
  }
}

/** One workspace's turn; `wake` is for hand-offs that end after it. */
type Work = (workspaceId: number, share: number, wake: () => void) => Promise<Turn>

interface Loop {
  wake(): void
  ended: Promise<void>
}

/**
 * Works through the workspaces that are due, the longest waiting first, each with an equal share of what the provider can
 * take; then sleeps until woken or until the next one is due.
 */
function startLoop(service: Service, stopping: AbortSignal, lane: DueLane, work: Work): Loop {
  let woken = false
  let interrupt: (() => void) | null = null
  const wake = (): void => {
    woken = true
    interrupt?.()
  }
  const nap = async (ms: number): Promise<void> => {
    if (woken) return
    const waking = new AbortController()
    interrupt = () => waking.abort()
    await service.clock.sleep(ms, AbortSignal.any([waking.signal, stopping])).catch(() => undefined)
    interrupt = null
  }
  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        woken = false
        const due = await dueWorkspaces(service.db, lane, workspacesAtOnce)
        const share = Math.max(1, Math.floor(service.provider.free() / Math.max(1, due.length)))
        const turns = await Promise.all(due.map((workspaceId) => work(workspaceId, share, wake)))
        if (turns.length === 0) await nap(Math.min(napMaxMs, Math.max(1, (await msUntilDue(service.db, lane)) ?? napMaxMs)))
        else if (turns.every((turn) => turn === 'full')) await nap(fullMs)
        else if (!turns.includes('more')) await service.clock.sleep(paceMs)
      } catch (error) {
        service.log.error({ err: error, lane }, 'A turn of the workers failed; the next one follows')
        await nap(napMaxMs)
      }
    }
  }
  return { ended: run(), wake }
}

/** Each ten minutes: forgets keys and counters that are past their time, workspace by workspace. */
async function startTidying(service: Service, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await forgetCounters(service.db, 0)
      for (const { id } of await allWorkspaces(service.db)) {
        await forgetCounters(service.db, id)
        await forgetIdempotencyKeys(service.db, id)
      }
    } catch (error) {
      service.log.error({ err: error }, 'Tidying failed; it is tried again')
    }
    await service.clock.sleep(600_000, stopping).catch(() => undefined)
  }
}
