/** Records what hand-offs came to, many in one statement, and lets nothing of it be lost while the database is away. */
import { passesLater } from '../../db/connect.ts'
import { recordOutcomes } from '../../db/outcomes.ts'
import type { ChangedRow, OutcomeRow, OutcomeRules } from '../../db/outcomes.ts'
import { moveSubscribers } from '../../db/subscribers.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Context } from '../context.ts'

export type RecordOutcome = (workspaceId: number, outcome: OutcomeRow) => Promise<OutcomeRow['event'] | null>

/** How long an outcome is held for a database that does not answer, as a share of the lease. */
const patience = 0.9

export function createRecordOutcome(ctx: Context): RecordOutcome {
  const record = gatherByWorkspace({
    groupMax: 256,
    atOnceMax: 2,
    work: async (workspaceId: number, outcomes: OutcomeRow[]): Promise<Recorded[]> => {
      try {
        return await recordTogether(ctx, workspaceId, outcomes)
      } catch (error) {
        if (outcomes.length === 1) return [{ error }]
        // One row that the database refuses must not cost the others theirs.
        const alone = outcomes.map((outcome) =>
          recordTogether(ctx, workspaceId, [outcome]).catch((cause: unknown) => [{ error: cause }]),
        )
        return (await Promise.all(alone)).flat()
      }
    },
  })
  return async (workspaceId, outcome) => {
    const recorded = await record(workspaceId, outcome)
    if ('error' in recorded) throw recorded.error
    return recorded.event
  }
}

type Recorded = { event: OutcomeRow['event'] | null } | { error: unknown }

async function recordTogether(ctx: Context, workspaceId: number, outcomes: OutcomeRow[]): Promise<Recorded[]> {
  const changed = await persistently(ctx, () => write(ctx, workspaceId, outcomes))
  const events = new Map(changed.map((row) => [`${row.messageId}/${row.position}`, row.event]))
  for (const row of changed) {
    if (row.event === 'bounced') {
      await closeBounced(ctx, workspaceId, row.addressKey).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'Rows of a suppressed address were not settled at once'),
      )
    }
  }
  return outcomes.map((outcome) => ({ event: events.get(`${outcome.messageId}/${outcome.position}`) ?? null }))
}

/** One statement is its own transaction; where an address turns out not to exist, its subscriber is moved in the same. */
function write(ctx: Context, workspaceId: number, outcomes: OutcomeRow[]): Promise<ChangedRow[]> {
  const rules = outcomeRules(ctx, workspaceId)
  if (!outcomes.some(({ event }) => event === 'bounced')) return recordOutcomes(ctx.db, workspaceId, outcomes, rules)
  return ctx.db.transaction(async (tx) => {
    const changed = await recordOutcomes(tx, workspaceId, outcomes, rules)
    const bounced = changed.filter(({ event }) => event === 'bounced').map(({ addressKey }) => addressKey)
    await moveSubscribers(tx, workspaceId, movesOf([...new Set(bounced)]))
    return changed
  })
}

const movesOf = (emails: string[]) => emails.map((email) => ({ email, becomes: 'bounced' as const }))

/** The address is on the list by now, and each claim reads the list: this settles its rows sooner, and finds who came meanwhile. */
async function closeBounced(ctx: Context, workspaceId: number, email: string): Promise<void> {
  await settleSuppressed(ctx.db, workspaceId, email, 'bounce')
  await moveSubscribers(ctx.db, workspaceId, movesOf([email]))
}

/** Tries again until the lease is nearly over: after that the row is in doubt anyway. */
async function persistently<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const endsAtMs = ctx.clock.monotonicMs() + ctx.settings.leaseSeconds * 1000 * patience
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2000)) {
    try {
      return await work()
    } catch (error) {
      if (!passesLater(error) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}

export function outcomeRules(ctx: Pick<Context, 'settings' | 'providers'>, workspaceId: number): OutcomeRules {
  const { settings } = ctx
  return {
    repeat: settings.inDoubt === 'repeat',
    retryFirstSeconds: settings.retryFirstSeconds,
    retryMaxSeconds: settings.retryMaxSeconds,
    queueLifeSeconds: settings.queueLifeSeconds,
    owedSeconds: 1,
    silenceSeconds: silenceSeconds(ctx, workspaceId),
  }
}

/** Seconds after which silence is delivery; null where the workspace's provider tells, or the operator said never. */
export function silenceSeconds(ctx: Pick<Context, 'settings' | 'providers'>, workspaceId: number): number | null {
  return ctx.providers.of(workspaceId).tellsDelivery || ctx.settings.deliveredAfterSeconds === 0
    ? null
    : ctx.settings.deliveredAfterSeconds
}
