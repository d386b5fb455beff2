/** Records what hand-offs came to, many in one statement, and lets nothing of it be lost while the database is away. */
import { passesLater } from '../../db/connection/connect.ts'
import { recordOutcomes } from '../../db/sending/outcomes.ts'
import type { ChangedRow, OutcomeRow, OutcomeRules } from '../../db/sending/outcomes.ts'
import { gatherByWorkspace } from '../../gather.ts'
import { statusEvents, publishStatusChanges } from '../events/status-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import { bounceCode } from '../../mail/reports/classify-bounce.ts'
import type { Context } from '../context.ts'
import { notifySuspensionChange } from '../reputation/notify-suspension-change.ts'
import type { ChangedRecipientStatus } from '../feedback-target.ts'
import { applyStatusChanges, stopPendingMailTo, sourceIdOf } from './apply-status-changes.ts'
import type { SuppressedAddress, StatusChanges } from './apply-status-changes.ts'

export type RecordOutcome = (workspaceId: number, outcome: OutcomeRow) => Promise<OutcomeRow['event'] | null>

/** How long an outcome is held for a database that does not answer, as a share of the lease. */
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
  const { changed, closed } = await persistently(ctx, () => write(ctx, workspaceId, outcomes))
  const events = new Map(changed.map((row) => [`${row.messageId}/${row.position}`, row.event]))
  await followRefusals(ctx, workspaceId, { closed, isCounted: changed.some(({ event }) => event === 'bounced') })
  return outcomes.map((outcome) => ({ event: events.get(`${outcome.messageId}/${outcome.position}`) ?? null }))
}

interface Written {
  changed: ChangedRow[]
  closed: SuppressedAddress[]
}

const unfollowed = ['email.sent', 'email.failed'] as const

/** One statement is its own transaction; what follows a refusal that speaks of the address, and what is told, is written in the same. */
async function write(ctx: Context, workspaceId: number, outcomes: OutcomeRow[]): Promise<Written> {
  const rules = outcomeRules(ctx, workspaceId)
  if (!outcomes.some(hasConsequences)) {
    const simply = await changeAndPublish(ctx, workspaceId, unfollowed, {
      change: (db, unheard) => recordOutcomes(db, workspaceId, outcomes, { ...rules, unheard }),
      events: (tx, rows) => statusEvents(tx, workspaceId, statusChangesOf(rows.map(withTarget)).moved),
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

/** Whether an outcome may end as a bounce that others must hear of, or that counts for its address. */
export const hasConsequences = ({ event, bounce }: Pick<OutcomeRow, 'event' | 'bounce'>): boolean =>
  event === 'bounced' || bounce === 'soft'

/** Of rows that outcomes wrote: those that moved, and those that are softly refused for good. */
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

/** After the commit. The addresses are on the list by now, and each claim reads the list: this only settles their rows sooner. */
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
    silenceSeconds: assumeDeliveredSeconds(ctx, workspaceId),
  }
}

/** Seconds after which silence is delivery; null where the workspace's provider tells, or the operator said never. */
export function assumeDeliveredSeconds(ctx: Pick<Context, 'settings' | 'providers'>, workspaceId: number): number | null {
  return ctx.providers.of(workspaceId).tellsDelivery || ctx.settings.deliveredAfterSeconds === 0
    ? null
    : ctx.settings.deliveredAfterSeconds
}
