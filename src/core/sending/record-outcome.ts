/**
 * Records outcomes of hand-offs, many in one statement, and retries while the database is
 * unavailable.
 */
import type { Database } from '../../database/client/database.ts'
import { recordOutcomes, type OutcomeRow, type OutcomeRules } from '../../db/sending/outcomes.ts'
import type { MessageTarget } from '../../db/feedback/feedback.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'
import type { Context } from '../context.ts'
import { persistently } from '../persistently.ts'
import type { MailsUnderWay } from './mails-under-way.ts'
import {
  followRefusals,
  writeOutcomes,
  type RecordedRow,
  type RecordInLedger,
} from './write-outcomes.ts'

export type RecordOutcome = (
  workspaceId: number,
  outcome: OutcomeRow,
) => Promise<OutcomeRow['event'] | null>

/**
 * How long recording is retried, as a share of the lease's length. The time counts from the first
 * try to record.
 */
const patience = 0.9

/**
 * How long an outcome waits for others whose hand-off is under way, in milliseconds: a statement of
 * its own costs more than that.
 */
const patienceMs = 5

/** The calls whose outcomes are recorded together. */
interface Together {
  /** Absent means each group holds what waits. */
  underWay?: Pick<MailsUnderWay, 'all' | 'atProvider'>
  /**
   * Whether callers wait for their outcome and then ask for the next (src/ground/gather.ts). Of a
   * claim nobody does.
   */
  inHalves: boolean
}

export function createRecordOutcome(ctx: Context, { underWay, inHalves }: Together): RecordOutcome {
  const record = gatherByWorkspace({
    groupMax: 256,
    inHalves,
    atOnceMax: 2,
    ...(underWay && { patienceMs, coming: underWay.atProvider, callers: underWay.all }),
    work: (workspaceId) => {
      // Two statements share one connection: on two connections, the second would wait for the row
      // locks of the day's counters.
      const pipeline = ctx.db.pipeline()
      return async (outcomes: OutcomeRow[]): Promise<Recorded[]> => {
        try {
          return await recordTogether(ctx, pipeline, workspaceId, outcomes)
        } catch (error) {
          if (outcomes.length === 1) return [{ error }]
          // If a group fails, each outcome is retried alone, so that one bad row cannot fail the
          // others.
          const alone = outcomes.map((outcome) =>
            recordTogether(ctx, ctx.db, workspaceId, [outcome]).catch((cause: unknown) => [
              { error: cause },
            ]),
          )
          return (await Promise.all(alone)).flat()
        }
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

async function recordTogether(
  ctx: Context,
  alone: Database,
  workspaceId: number,
  outcomes: OutcomeRow[],
): Promise<Recorded[]> {
  const rules = outcomeRules(ctx, workspaceId)
  const record: RecordInLedger<RecordedMessage> = async (db, unsubscribedTypes) =>
    (await recordOutcomes(db, workspaceId, outcomes, { ...rules, unsubscribedTypes })).map(
      ({ messageId, position, ...row }) => ({
        ...row,
        target: { messageId, position },
      }),
    )
  // The lease may end earlier, since it is renewed only while the database answers. Then the row
  // becomes in doubt, and a late outcome changes nothing.
  const withinMs = ctx.settings.leaseSeconds * 1000 * patience
  const written = await persistently(ctx, withinMs, () =>
    writeOutcomes(ctx, { workspaceId, outcomes, record, alone }),
  )
  const events = new Map(
    written.rows.map(({ target, event }) => [`${target.messageId}/${target.position}`, event]),
  )
  await followRefusals(ctx, { workspaceId, ...written })
  return outcomes.map(({ messageId, position }) => ({
    event: events.get(`${messageId}/${position}`) ?? null,
  }))
}

type RecordedMessage = RecordedRow & { target: MessageTarget }

export function outcomeRules(
  ctx: Pick<Context, 'settings' | 'providers'>,
  workspaceId: number,
): OutcomeRules {
  return {
    ...verdictRules(ctx),
    repeat: ctx.settings.inDoubt === 'repeat',
    silenceSeconds: assumeDeliveredSeconds(ctx, workspaceId),
  }
}

export const verdictRules = ({
  settings: { retryFirstSeconds, retryMaxSeconds, queueLifeSeconds },
}: Pick<Context, 'settings'>) => ({
  ...{ retryFirstSeconds, retryMaxSeconds, queueLifeSeconds },
  pendingSeconds: 1,
})

/**
 * Seconds after which mail without feedback counts as delivered. Null when the provider reports
 * deliveries, or the operator disabled it.
 */
export function assumeDeliveredSeconds(
  ctx: Pick<Context, 'settings' | 'providers'>,
  workspaceId: number,
): number | null {
  return ctx.providers.of(workspaceId).reportsDelivery || ctx.settings.deliveredAfterSeconds === 0
    ? null
    : ctx.settings.deliveredAfterSeconds
}
