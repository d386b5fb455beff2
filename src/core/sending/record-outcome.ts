/** Records outcomes of hand-offs, many in one statement, and retries while the database is unavailable. */
import { passesLater } from '../../db/connection/connect.ts'
import { recordOutcomes } from '../../db/sending/outcomes.ts'
import type { ChangedRow, OutcomeRow, OutcomeRules } from '../../db/sending/outcomes.ts'
import { gatherByWorkspace } from '../../gather.ts'
import { outcomeEvents, publishStatusChanges } from '../events/status-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import { bounceCode } from '../../mail/reports/classify-bounce.ts'
import type { Context } from '../context.ts'
import { notifySuspensionChange } from '../reputation/notify-suspension-change.ts'
import type { ChangedRecipientStatus } from '../feedback-target.ts'
import { applyStatusChanges, stopPendingMailTo, sourceIdOf } from './apply-status-changes.ts'
import type { SuppressedAddress, StatusChanges } from './apply-status-changes.ts'

export type RecordOutcome = (workspaceId: number, outcome: OutcomeRow) => Promise<OutcomeRow['event'] | null>

/** How long recording is retried, as a share of the lease's length. The time counts from the first try to record. */
const patience = 0.9

export function createRecordOutcome(ctx: Context): RecordOutcome {
  const record = gatherByWorkspace({
    groupMax: 256,
    atOnceMax: 2,
    work:
      (workspaceId) =>
      async (outcomes: OutcomeRow[]): Promise<Recorded[]> => {
        try {
          return await recordTogether(ctx, workspaceId, outcomes)
        } catch (error) {
          if (outcomes.length === 1) return [{ error }]
          // If a group fails, each outcome is retried alone, so that one bad row cannot fail the others.
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
  const { changed, closed } = await persistently(ctx, () => write(ctx, workspaceId, outcomes))
  const events = new Map(changed.map((row) => [`${row.messageId}/${row.position}`, row.event]))
  await followRefusals(ctx, workspaceId, { closed, isCounted: changed.some(({ event }) => event === 'bounced') })
  return outcomes.map((outcome) => ({ event: events.get(`${outcome.messageId}/${outcome.position}`) ?? null }))
}

interface Written {
  changed: ChangedRow[]
  closed: SuppressedAddress[]
}

/**
 * Writes outcomes and their events. Outcomes with consequences share a transaction with the suppressions and subscribers that
 * they change.
 */
async function write(ctx: Context, workspaceId: number, outcomes: OutcomeRow[]): Promise<Written> {
  const rules = outcomeRules(ctx, workspaceId)
  if (!outcomes.some(hasConsequences)) {
    const simply = await changeAndPublish(ctx, workspaceId, 'outcome', {
      change: (db, unheard) => recordOutcomes(db, workspaceId, outcomes, { ...rules, unheard }),
      events: (tx, rows) => outcomeEvents(tx, workspaceId, statusChangesOf(rows.map(withTarget)).moved),
    })
    return { changed: simply, closed: [] }
  }
  const { owed, ...written } = await ctx.db.transaction(async (tx) => {
    const changed = await recordOutcomes(tx, workspaceId, outcomes, rules)
    const moves = statusChangesOf(changed.map(withTarget))
    const closed = await applyStatusChanges(tx, workspaceId, moves)
    return { changed, closed, owed: await publishStatusChanges(tx, workspaceId, { moved: moves.moved, closed }) }
  })
  if (owed > 0) ctx.wake('webhook')
  return written
}

const withTarget = ({ messageId, position, ...row }: ChangedRow) => ({ ...row, target: { messageId, position } })

/** Whether an outcome may suppress its address, or counts towards that as a soft bounce. */
export const hasConsequences = ({ event, bounce }: Pick<OutcomeRow, 'event' | 'bounce'>): boolean =>
  event === 'bounced' || bounce === 'soft'

/** Selects the rows whose status changed, and those that finally failed with a soft bounce. */
export function statusChangesOf(rows: (Omit<ChangedRecipientStatus, 'code' | 'complaint'> & { at: Date })[]): StatusChanges {
  const moved = rows.filter(({ was, status }) => was !== status)
  return {
    moved: moved.map(({ target, email, was, status, bounce, error }) => ({
      ...{ target, email, was, status, bounce, error, complaint: null },
      code: error && bounceCode(error),
    })),
    soft: moved.flatMap(({ status, bounce, email, at, target }) =>
      status === 'failed' && bounce === 'soft' ? [{ email, handedOverAt: at, sourceId: sourceIdOf(target) }] : [],
    ),
  }
}

/**
 * Call it after the commit. The addresses are suppressed by then and each claim checks that, so this only stops pending rows
 * sooner.
 */
export async function followRefusals(
  ctx: Context,
  workspaceId: number,
  { closed, isCounted }: { closed: SuppressedAddress[]; isCounted: boolean },
): Promise<void> {
  const tell = (error: unknown) => ctx.log.warn({ err: error }, 'Rows of a suppressed address were not settled at once')
  await stopPendingMailTo(ctx, workspaceId, closed).catch(tell)
  if (isCounted) {
    await notifySuspensionChange(ctx, workspaceId).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'Whether a workspace is suspended is looked at later'),
    )
  }
}

/**
 * Retries for `patience` of a lease. The lease may end earlier, since it is renewed only while the database answers.
 * Then the row becomes in doubt, and a late outcome changes nothing.
 */
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
    silenceSeconds: assumeDeliveredSeconds(ctx, workspaceId),
  }
}

/**
 * Seconds after which mail without feedback counts as delivered. Null when the provider reports deliveries, or the operator
 * disabled it.
 */
export function assumeDeliveredSeconds(ctx: Pick<Context, 'settings' | 'providers'>, workspaceId: number): number | null {
  return ctx.providers.of(workspaceId).tellsDelivery || ctx.settings.deliveredAfterSeconds === 0
    ? null
    : ctx.settings.deliveredAfterSeconds
}
