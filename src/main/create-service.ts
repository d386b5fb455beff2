/**
 * Builds the service that entry points and workers share: the context and the sending machinery.
 */
import { createBackgroundTasks } from '../core/background-tasks.ts'
import { BatchSender } from '../core/campaigns/batch-sender.ts'
import { oneDatabase, type Databases } from '../core/databases.ts'
import type { Context, Service } from '../core/context.ts'
import { createCaptureWaits, isCapture } from '../core/capture-waits.ts'
import { createFetchSlots } from '../core/fetch-slots.ts'
import { createPasswords } from '../core/passwords.ts'
import { createAdmissions } from '../core/sending/admit.ts'
import { createRequestLog } from '../core/dispatch/request-log.ts'
import { createHandOff, renewMessageLeases, returnedRow } from '../core/sending/hand-off.ts'
import { createLeases } from '../core/sending/leases.ts'
import { createMailsUnderWay } from '../core/sending/mails-under-way.ts'
import { createPrefetchedRate } from '../core/sending/prefetch-rate.ts'
import { createProviderPace } from '../core/sending/provider-pace.ts'
import { createRecordOutcome } from '../core/sending/record-outcome.ts'
import { createSenderVolumes, type SenderVolumes } from '../core/sending/sender-volumes.ts'
import { createWarmUps } from '../core/sending/warm-ups.ts'

/** What all cells of a process share: limits of the process, and work that is of no workspace. */
export type ProcessParts = ReturnType<typeof createProcessParts>

/** `ctx`: that of cell 1. */
export function createProcessParts(ctx: Context) {
  return {
    captureWaits: createCaptureWaits(ctx.clock, () => ctx.wake('captures')),
    fetchSlots: createFetchSlots(),
    passwords: createPasswords(),
    backgroundTasks: createBackgroundTasks(ctx),
    providerPace: createProviderPace(ctx),
    takeRate: createPrefetchedRate(ctx, 'transactional'),
    senderVolumes: createSenderVolumes(ctx),
    singles: { untilMs: -Infinity },
  }
}

/** A service, and the end of its leases: call `stop` when no row is leased any more. */
export type OpenService = Service & { senderVolumes: SenderVolumes; stop(): void }

/** Of one cell. Without `databases` it is the only one of its process. */
export function createService(
  context: Context,
  {
    parts = createProcessParts(context),
    databases,
  }: { parts?: ProcessParts; databases?: Databases<Service> } = {},
): OpenService {
  const { senderVolumes } = parts
  const ctx: Context = {
    ...context,
    onDeparture: senderVolumes.count,
    wake(hint) {
      parts.captureWaits.onWakeUp(hint)
      // A capture that no other process waits for costs no notification.
      if (!isCapture(hint) || parts.captureWaits.othersWait()) context.wake(hint)
    },
  }
  const leases = createLeases(ctx, renewMessageLeases(ctx))
  const underWay = createMailsUnderWay()
  const recordOutcome = createRecordOutcome(ctx, { underWay, inHalves: true })
  const claimed = createMailsUnderWay()
  const recordClaimed = createRecordOutcome(ctx, { underWay: claimed, inHalves: false })
  const warmUps = createWarmUps(ctx)
  const { providerPace, singles, takeRate } = parts
  const senders = new Set<BatchSender>()
  const service: OpenService = {
    ...ctx,
    databases: databases ?? oneDatabase<Service>(() => service),
    captureWaits: parts.captureWaits,
    fetchSlots: parts.fetchSlots,
    passwords: parts.passwords,
    backgroundTasks: parts.backgroundTasks,
    requestLog: createRequestLog(ctx, ctx.settings.requestLogPerSecond),
    sending: {
      admissions: createAdmissions(ctx, underWay),
      expect: underWay.begin,
      handOff: createHandOff(ctx, {
        ...{ leases, recordOutcome, recordClaimed, providerPace, warmUps, underWay, singles },
      }),
      singles,
      count: claimed.begin,
      returnRow(row) {
        row.mail?.ended()
        ctx.counts?.claimed('transactional')
        return recordClaimed(row.workspaceId, returnedRow(row))
      },
      openBatchSender(options) {
        const sender = new BatchSender(ctx, { providerPace, singles }, options)
        senders.add(sender)
        void sender.ended.finally(() => senders.delete(sender))
        return sender
      },
      takeRate,
      warmUps,
      leasedCount: (isIncluded) =>
        [...senders]
          .filter(({ workspaceId }) => isIncluded?.(workspaceId) ?? true)
          .reduce((sum, sender) => sum + sender.leasedCount, leases.count(isIncluded)),
    },
    senderVolumes,
    stop: leases.stop,
  }
  return service
}
