/** Starts all background work: what wakes it, in which turns, and how it stops. Claim → work → record. */
import type { Service } from '../../core/context.ts'
import { assumeDeliveredSeconds } from '../../core/sending/record-outcome.ts'
import { dueWorkspaces, goBehind, msUntilDue, type DueLane } from '../../db/sending/due.ts'
import { mailsHeldMax, memoryOfProcess } from '../../memory-bounds.ts'
import { startCampaignLane } from './campaign-lane.ts'
import { checkDomains } from './check-domains.ts'
import { createDeliverDue, type Turn } from './deliver-due.ts'
import { createDeliverWebhooks } from './deliver-webhooks.ts'
import { giveFeedback } from './give-feedback.ts'
import { startIndexingMessages } from './index-messages.ts'
import { createImportFiles } from './import-files.ts'
import { maintainSubscribers } from './maintain-subscribers.ts'
import { createSlots, type Slots } from './slots.ts'
import { pollQueues } from './poll-queues.ts'
import { completeSignUps } from './complete-sign-ups.ts'
import { cleanUp } from './clean-up.ts'

export interface Workers {
  /** Wakes a lane now. */
  wake(lane: DueLane): void
  /** Claims no more and waits for hand-offs in flight; returns how many rows stay leased and will be in doubt. */
  stop(withinMs: number): Promise<{ leftLeased: number }>
}

/** Longest sleep of a lane without a hint: other processes' hints may be lost with their connection. */
const napMaxMs = 1000
/** Sleep of a lane whose work found no slot: the end of any hand-off wakes it sooner. */
const fullMs = 50
/** Shortest time between two turns that leave nothing due: one statement then claims all new work. */
const paceMs = 5
const workspacesAtOnce = 50
/** How long a workspace is skipped after a failed turn; the others go on. */
const restMs = 1000
const tidyEveryMs = 600_000

export function startWorkers(service: Service): Workers {
  const stopping = new AbortController()
  const slots = createSlots(service, mailsHeldMax(memoryOfProcess()))
  const start = (lane: DueLane, work: Work): Loop => startLoop(service, { stopping: stopping.signal, slots, lane, work })
  const webhooks = createDeliverWebhooks(service)
  const imports = createImportFiles(service)
  const loops = {
    transactional: start('transactional', createDeliverDue(service, slots)),
    feedback: start('feedback', (workspaceId) =>
      giveFeedback(service, workspaceId, assumeDeliveredSeconds(service, workspaceId)),
    ),
    subscribers: start('subscribers', (workspaceId) => maintainSubscribers(service, workspaceId)),
    domain: start('domain', (workspaceId) => checkDomains(service, workspaceId)),
    sign_up: start('sign_up', (workspaceId) => completeSignUps(service, workspaceId)),
    webhook: start('webhook', (workspaceId, _share, wake) => webhooks.turn(workspaceId, wake)),
    import: start('import', (workspaceId, _share, wake) => imports.turn(workspaceId, wake)),
  }
  const campaigns = startCampaignLane(service, slots, stopping.signal)
  const queues = pollQueues(service, stopping.signal)
  const tidying = startTidying(service, stopping.signal)
  const indexing = startIndexingMessages(service, stopping.signal)
  return {
    wake: (lane) => {
      if (lane === 'campaign') campaigns.wake()
      if (lane in loops) loops[lane as keyof typeof loops].wake()
    },
    async stop(withinMs) {
      stopping.abort()
      const endsAtMs = service.clock.monotonicMs() + withinMs
      const ended = new AbortController()
      const late = service.clock.sleep(withinMs, ended.signal).catch(() => undefined)
      await Promise.race([
        Promise.all([
          ...Object.values(loops).map((loop) => loop.ended),
          campaigns.ended,
          queues,
          tidying,
          indexing,
          webhooks.end(withinMs),
          imports.end(),
        ]),
        late,
      ])
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
 * Serves the workspaces that are due, the longest waiting first, each with an equal share of the provider's free
 * slots. Then it sleeps until woken or until the next one is due. A workspace with more work goes behind the others;
 * after a failed turn only that workspace is skipped for a while.
 */
function startLoop(
  service: Service,
  { stopping, slots, lane, work }: { stopping: AbortSignal; slots: Slots; lane: DueLane; work: Work },
): Loop {
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
  const resting = createResting(service)
  /** Divides the free slots of a provider equally among the workspaces that use it. */
  const shareOf = (workspaceId: number, due: number[]): number => {
    const here = slots.of(workspaceId)
    return Math.max(1, Math.floor(here.free() / due.filter((other) => slots.of(other) === here).length))
  }
  const takeTurn = async (workspaceId: number, share: number, others: number): Promise<Turn> => {
    try {
      const turn = await work(workspaceId, share, wake)
      if (turn === 'more' && others > 0) await goBehind(service.countingDb, workspaceId, lane)
      // Behind the workspaces that one turn reads, others may wait whose providers have free slots.
      if (turn === 'full' && others + 1 === workspacesAtOnce) resting.add(workspaceId, fullMs)
      return turn
    } catch (error) {
      service.log.error({ err: error, lane, workspaceId }, 'A turn of a workspace failed; its next turn waits for a moment')
      resting.add(workspaceId, restMs)
      return 'later'
    }
  }
  const run = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        woken = false
        const leftOut = resting.now()
        const due = await dueWorkspaces(service.db, lane, workspacesAtOnce, leftOut)
        const turns = await Promise.all(
          due.map((workspaceId) => takeTurn(workspaceId, shareOf(workspaceId, due), due.length - 1)),
        )
        if (turns.length === 0)
          await nap(Math.min(napMaxMs, Math.max(1, (await msUntilDue(service.db, lane, leftOut)) ?? napMaxMs)))
        else if (turns.includes('more')) continue
        else if (turns.includes('full')) await nap(fullMs)
        else await service.clock.sleep(paceMs)
      } catch (error) {
        service.log.error({ err: error, lane }, 'The workers could not look for work; they try again')
        await nap(napMaxMs)
      }
    }
  }
  return { ended: run(), wake }
}

/** Workspaces that are skipped for a while after a failed turn. */
function createResting({ clock }: Pick<Service, 'clock'>): { add(workspaceId: number, ms: number): void; now(): number[] } {
  const until = new Map<number, number>()
  return {
    add: (workspaceId, ms) => void until.set(workspaceId, clock.monotonicMs() + ms),
    now() {
      for (const [workspaceId, endsAtMs] of until) if (endsAtMs <= clock.monotonicMs()) until.delete(workspaceId)
      return [...until.keys()]
    },
  }
}

async function startTidying(service: Service, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await cleanUp(service, stopping).catch((error: unknown) =>
      service.log.error({ err: error }, 'The clean-up failed; the next round tries again'),
    )
    await service.clock.sleep(tidyEveryMs, stopping).catch(() => undefined)
  }
}
