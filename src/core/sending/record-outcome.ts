/** Records what hand-offs came to, many in one statement, and lets nothing of it be lost while the database is away. */
import { retrying, lostConnection } from '../../db/connect.ts'
import { recordOutcomes } from '../../db/outcomes.ts'
import type { OutcomeRow, OutcomeRules } from '../../db/outcomes.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Context } from '../context.ts'

export type RecordOutcome = (workspaceId: number, outcome: OutcomeRow) => Promise<OutcomeRow['event'] | null>

/** How long an outcome is held for a database that does not answer, as a share of the lease. */
const patience = 0.9

export function createRecordOutcome(ctx: Context): RecordOutcome {
  return gatherByWorkspace({
    groupMax: 256,
    atOnceMax: 2,
    work: async (workspaceId: number, outcomes: OutcomeRow[]) => {
      const changed = await persistently(ctx, () => recordOutcomes(ctx.db, workspaceId, outcomes, outcomeRules(ctx)))
      const events = new Map(changed.map((row) => [`${row.messageId}/${row.position}`, row]))
      for (const row of changed) {
        if (row.event === 'bounced') await settleSuppressed(ctx.db, workspaceId, row.addressKey, 'bounce')
      }
      return outcomes.map((outcome) => events.get(`${outcome.messageId}/${outcome.position}`)?.event ?? null)
    },
  })
}

/** Tries again until the lease is nearly over: after that the row is in doubt anyway. */
async function persistently<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const endsAtMs = ctx.clock.monotonicMs() + ctx.settings.leaseSeconds * 1000 * patience
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2000)) {
    try {
      return await retrying(work)
    } catch (error) {
      if (!lostConnection(error) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}

export function outcomeRules(ctx: Pick<Context, 'settings' | 'provider'>): OutcomeRules {
  const { settings } = ctx
  return {
    repeat: settings.inDoubt === 'repeat',
    retryFirstSeconds: settings.retryFirstSeconds,
    retryMaxSeconds: settings.retryMaxSeconds,
    queueLifeSeconds: settings.queueLifeSeconds,
    owedSeconds: 1,
    silenceSeconds: silenceSeconds(ctx),
  }
}

/** Seconds after which silence is delivery; null where the provider tells, or the operator said never. */
export function silenceSeconds(ctx: Pick<Context, 'settings' | 'provider'>): number | null {
  return ctx.provider.tellsDelivery || ctx.settings.deliveredAfterSeconds === 0 ? null : ctx.settings.deliveredAfterSeconds
}
