/**
 * Starts all background work of a cell: what wakes it, in which turns, and how it stops. Claim →
 * work → record. Each cell has its own loops, so that one whose node is slow or away holds no other
 * up; they share the bounds of the process.
 */
import { oneDatabase, type Databases } from '../../core/databases.ts'
import type { Service } from '../../core/context.ts'
import { lookUpDueDomain } from '../../core/domains/look-up-due-domain.ts'
import { singlesMs } from '../../core/sending/hand-off.ts'
import { assumeDeliveredSeconds } from '../../core/sending/record-outcome.ts'
import {
  indexedAtOnce,
  indexSubscribers,
} from '../../core/audience/subscribers/index-subscribers.ts'
import {
  goBehind,
  raiseDomainDue,
  raiseSubscribersDue,
  type DueLane,
  type WakeUp,
} from '../../db/sending/due.ts'
import { expireRows } from '../../db/retention/expire-rows.ts'
import { repeatEvery, waitAtMost } from '../../ground/clock.ts'
import { mailBytesMax, memoryOfProcess } from '../../ground/memory-bounds.ts'
import { createPrefetchedRate } from '../../core/sending/prefetch-rate.ts'
import { homeCell } from '../../database/cells/cell-changes.ts'
import { createHostSlots } from './host-slots.ts'
import { startCampaignLane, type ActiveSender } from './campaign-lane.ts'
import { createDeliverDue, type Turn } from './deliver-due.ts'
import { createDeliverWebhooks } from './deliver-webhooks.ts'
import { createGiveFeedback } from './give-feedback.ts'
import { startIndexingMessages } from './index-messages.ts'
import { createImportFiles } from './import-files.ts'
import { startLaneLoop, workspacesAtOnce, type LaneLoop } from './lane-loop.ts'
import { createSlots, type Slots } from './slots.ts'
import { pollQueues } from './poll-queues.ts'
import { completeSignUps } from './complete-sign-ups.ts'
import { createBulkBounds, workBulkChanges } from './work-bulk-changes.ts'
import { cleanUp } from './clean-up.ts'

export interface Workers {
  /** Wakes a lane now. */
  wake(hint: WakeUp): void
  /**
   * Claims no more and waits for hand-offs in flight; returns how many rows stay leased and will be
   * in doubt.
   */
  stop(withinMs: number): Promise<{ leftLeased: number }>
}

/** Sleep of a lane whose work found no slot: the end of any hand-off wakes it sooner. */
const fullMs = 50
/**
 * Shortest time between two turns that leave nothing due: one statement then claims all new work.
 */
const paceMs = 25
/** How long a workspace is skipped after a failed turn; the others go on. */
const restMs = 1000
const cleanUpEveryMs = 600_000

/** The bounds of a process, which its cells share. */
export function createWorkerBounds(cells: Databases<Service>) {
  const { home } = cells
  const leasedCount: Service['sending']['leasedCount'] = (isIncluded) =>
    cells.open().reduce((sum, { sending }) => sum + sending.leasedCount(isIncluded), 0)
  return {
    slots: createSlots(
      { providers: home.providers, sending: { leasedCount } },
      mailBytesMax(memoryOfProcess()),
    ),
    hosts: createHostSlots(home.clock),
    campaigns: {
      running: new Set<ActiveSender>(),
      takeRate: createPrefetchedRate(home, 'campaign'),
    },
    /** Workspaces whose file is imported now. */
    imports: new Set<number>(),
    bulk: createBulkBounds(),
  }
}

export function startWorkers(
  service: Service,
  bounds = createWorkerBounds(oneDatabase(() => service)),
): Workers {
  const stopping = new AbortController()
  const { slots } = bounds
  const start = (lane: DueLane, work: Work): LaneLoop =>
    startLoop(service, { stopping: stopping.signal, slots, lane, work })
  const webhooks = createDeliverWebhooks(service, bounds.hosts)
  const imports = createImportFiles(service, bounds.imports)
  const giveFeedback = createGiveFeedback(service)
  const loops = {
    transactional: start('transactional', createDeliverDue(service, slots)),
    feedback: start('feedback', (workspaceId) =>
      giveFeedback(workspaceId, assumeDeliveredSeconds(service, workspaceId)),
    ),
    subscribers: start('subscribers', async (workspaceId) => {
      if ((await indexSubscribers(service, workspaceId)) === indexedAtOnce) return 'more'
      await raiseSubscribersDue(service.db, workspaceId)
      return 'later'
    }),
    domain: start('domain', async (workspaceId) => {
      if (await lookUpDueDomain(service, workspaceId)) return 'more'
      await raiseDomainDue(service.db, workspaceId)
      return 'later'
    }),
    sign_up: start('sign_up', (workspaceId) => completeSignUps(service, workspaceId)),
    webhook: start('webhook', (workspaceId, _share, wake) => webhooks.turn(workspaceId, wake)),
    import: start('import', (workspaceId, _share, wake) => imports.turn(workspaceId, wake)),
    bulk: start('bulk', (workspaceId) => workBulkChanges(service, workspaceId, bounds.bulk)),
  }
  const campaigns = startCampaignLane(service, { slots, ...bounds.campaigns }, stopping.signal)
  // The accounts of all cells' workspaces are polled once.
  const queues = service.databaseId === homeCell.id ? pollQueues(service, stopping.signal) : null
  const cleaning = startCleanUp(service, stopping.signal)
  const expiring = startExpiring(service, stopping.signal)
  const indexing = startIndexingMessages(service, stopping.signal)
  return {
    wake: (hint) => {
      // Calls that other processes take count too: they share the database and the machine.
      if (hint === 'transactional' || hint === 'single')
        service.sending.singles.untilMs = service.clock.monotonicMs() + singlesMs
      if (hint === 'campaign') campaigns.wake()
      if (hint in loops) loops[hint as keyof typeof loops].wake()
    },
    async stop(withinMs) {
      stopping.abort()
      const endsAtMs = service.clock.monotonicMs() + withinMs
      const ended = Promise.all([
        ...Object.values(loops).map((loop) => loop.ended),
        ...[
          campaigns.ended,
          queues,
          cleaning,
          expiring,
          indexing,
          webhooks.end(withinMs),
          imports.end(),
        ],
      ])
      await waitAtMost(service.clock, withinMs, ended)
      while (service.sending.leasedCount() > 0 && service.clock.monotonicMs() < endsAtMs)
        await service.clock.sleep(20)
      return { leftLeased: service.sending.leasedCount() }
    },
  }
}

/** One workspace's turn; `wake` is for hand-offs that end after it. */
type Work = (workspaceId: number, share: number, wake: () => void) => Promise<Turn>

/**
 * Each due workspace gets an equal share of its provider's free slots. One with more work goes
 * behind the others; after a failed turn only that workspace is skipped for a while.
 */
function startLoop(
  service: Service,
  {
    stopping,
    slots,
    lane,
    work,
  }: { stopping: AbortSignal; slots: Slots; lane: DueLane; work: Work },
): LaneLoop {
  /** Divides the free slots of a provider equally among the workspaces that use it. */
  const shareOf = (workspaceId: number, due: number[]): number => {
    const here = slots.of(workspaceId)
    return Math.max(
      1,
      Math.floor(here.free() / due.filter((other) => slots.of(other) === here).length),
    )
  }
  const loop = startLaneLoop(service, { lane, stopping }, async (due, rest, idle) => {
    const takeTurn = async (workspaceId: number): Promise<Turn> => {
      try {
        const turn = await work(workspaceId, shareOf(workspaceId, due), loop.wake)
        if (turn === 'more' && due.length > 1) await goBehind(service.countingDb, workspaceId, lane)
        // Behind the workspaces that one turn reads, others may wait whose providers have free
        // slots.
        if (typeof turn === 'object') idle(workspaceId, turn.idleMs)
        if (turn === 'full' && due.length === workspacesAtOnce) rest(workspaceId, fullMs)
        return turn
      } catch (error) {
        service.log.error(
          { err: error, lane, workspaceId },
          'A turn of a workspace failed; its next turn waits for a moment',
        )
        rest(workspaceId, restMs)
        return 'later'
      }
    }
    const turns = await Promise.all(due.map(takeTurn))
    if (turns.length === 0) return null
    if (turns.includes('more')) return 0
    if (turns.includes('full')) return fullMs
    await service.clock.sleep(paceMs)
    return 0
  })
  return loop
}

const startCleanUp = (service: Service, stopping: AbortSignal): Promise<void> =>
  repeatEvery(service.clock, { everyMs: cleanUpEveryMs, stopping }, () =>
    cleanUp(service, stopping).catch((error: unknown) =>
      service.log.error({ err: error }, 'The clean-up failed; the next round tries again'),
    ),
  )

/** A pause after each batch of expired rows, so that others write in between. */
const pauseMs = 200

/** By itself: a night's work may take hours. */
const startExpiring = (service: Service, stopping: AbortSignal): Promise<void> =>
  repeatEvery(service.clock, { everyMs: cleanUpEveryMs, stopping }, () =>
    expireRows(service, {
      pause: () => service.clock.sleep(pauseMs, stopping).catch(() => undefined),
      stopping,
    }).catch((error: unknown) =>
      service.log.error(
        { err: error },
        'Expired rows were not deleted; the next round tries again',
      ),
    ),
  )
