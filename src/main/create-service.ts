/** Builds the service that entry points and workers share: the context and the sending machinery. */
import { createBackgroundTasks } from '../core/background-tasks.ts'
import { BatchSender } from '../core/campaigns/batch-sender.ts'
import type { Context, Service } from '../core/context.ts'
import { createPasswords } from '../core/passwords.ts'
import { createAdmissions } from '../core/sending/admit.ts'
import { createRequestLog } from '../core/dispatch/request-log.ts'
import { createHandOff, renewMessageLeases, returnedRow } from '../core/sending/hand-off.ts'
import { createLeases } from '../core/sending/leases.ts'
import { createMailsUnderWay } from '../core/sending/mails-under-way.ts'
import { createPrefetchedRate } from '../core/sending/prefetch-rate.ts'
import { createProviderPace } from '../core/sending/provider-pace.ts'
import { createRecordOutcome } from '../core/sending/record-outcome.ts'
import { createWarmUps } from '../core/sending/warm-ups.ts'

/** How long a single mail counts as just now, in milliseconds. */
const singlesMs = 100

/** Call `stop` when no row is leased any more, because it ends the renewal of leases. */
export function createService(ctx: Context): Service & { stop(): void } {
  const leases = createLeases(ctx, renewMessageLeases(ctx))
  const underWay = createMailsUnderWay()
  const recordOutcome = createRecordOutcome(ctx, underWay)
  const warmUps = createWarmUps(ctx)
  const providerPace = createProviderPace(ctx)
  const handOff = createHandOff(ctx, { leases, recordOutcome, providerPace, warmUps, underWay })
  const senders = new Set<BatchSender>()
  let lastSingleAtMs = -Infinity
  const markSingle = (): void => {
    lastSingleAtMs = ctx.clock.monotonicMs()
  }
  const isBusyWithSingles = (): boolean => ctx.clock.monotonicMs() - lastSingleAtMs < singlesMs
  return {
    ...ctx,
    passwords: createPasswords(),
    backgroundTasks: createBackgroundTasks(ctx),
    requestLog: createRequestLog(ctx, ctx.settings.requestLogPerSecond),
    sending: {
      admissions: createAdmissions(ctx, underWay),
      handOff(row) {
        markSingle()
        return handOff(row)
      },
      markSingle,
      isBusyWithSingles,
      returnRow: (row) => recordOutcome(row.workspaceId, returnedRow(row)),
      openBatchSender(options) {
        const sender = new BatchSender(ctx, { providerPace, isBusyWithSingles }, options)
        senders.add(sender)
        void sender.ended.finally(() => senders.delete(sender))
        return sender
      },
      takeRate: createPrefetchedRate(ctx, 'transactional'),
      warmUps,
      held: (isAskedFor) =>
        [...senders]
          .filter(({ workspaceId }) => isAskedFor?.(workspaceId) ?? true)
          .reduce((sum, sender) => sum + sender.held, leases.count(isAskedFor)),
    },
    stop: leases.stop,
  }
}
