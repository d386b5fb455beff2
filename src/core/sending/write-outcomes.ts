/**
 * Writes outcomes of attempts with their events and consequences, for single messages and campaigns
 * alike.
 */
import type { Database } from '../../database/client/database.ts'
import type { AttemptOutcome } from '../../db/sending/attempt-outcome.ts'
import { bounceCode } from '../../mail/reports/classify-bounce.ts'
import type { Context } from '../context.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import { outcomeEvents, publishStatusChanges, type Delay } from '../events/status-events.ts'
import type { ChangedRecipientStatus } from '../feedback-target.ts'
import { notifySuspensionChange } from '../reputation/notify-suspension-change.ts'
import { countRefusals, isCountedRefusal, type Refusal } from './count-refusals.ts'
import {
  applyStatusChanges,
  stopPendingMailTo,
  sourceIdOf,
  type StatusChanges,
  type SuppressedAddress,
} from './apply-status-changes.ts'

/**
 * A recorded row, with its status before; rows of single messages and those that are tried again
 * are also there unchanged.
 */
export type RecordedRow = Omit<ChangedRecipientStatus, 'code' | 'complaint'> &
  Pick<AttemptOutcome, 'event' | 'response'> & { at: Date; attempts: number }

/**
 * Records the outcomes in one statement of their ledger. `unsubscribedTypes`: event types that no
 * webhook receives.
 */
export type RecordInLedger<Row> = (
  db: Database,
  unsubscribedTypes: readonly string[],
) => Promise<Row[]>

/** The rows that were recorded, and the addresses that this suppressed. */
export interface WrittenOutcomes<Row> {
  rows: Row[]
  suppressed: SuppressedAddress[]
}

interface OutcomesToWrite<Row> {
  workspaceId: number
  outcomes: readonly AttemptOutcome[]
  record: RecordInLedger<Row>
  alone?: Database
}

/** Writes them, and wakes calls that wait for a captured mail. Call `followRefusals` with the result. */
export async function writeOutcomes<Row extends RecordedRow>(
  ctx: Pick<Context, 'db' | 'wake'>,
  batch: OutcomesToWrite<Row>,
): Promise<WrittenOutcomes<Row>> {
  const written = await writeWithConsequences(ctx, batch)
  if (batch.outcomes.some(({ copy }) => copy !== null)) ctx.wake(`captured:${batch.workspaceId}`)
  return written
}

/**
 * Outcomes with consequences share a transaction with the suppressions and subscribers that they
 * change.
 */
async function writeWithConsequences<Row extends RecordedRow>(
  ctx: Pick<Context, 'db' | 'wake'>,
  { workspaceId, outcomes, record, alone = ctx.db }: OutcomesToWrite<Row>,
): Promise<WrittenOutcomes<Row>> {
  if (!outcomes.some(hasConsequences)) {
    const rows = await changeAndPublish(ctx, {
      workspaceId,
      of: 'outcome',
      alone,
      change: record,
      events: (tx, recorded) =>
        outcomeEvents(tx, workspaceId, {
          changes: statusChangesOf(recorded).changes,
          delays: delaysIn(recorded),
        }),
    })
    return { rows, suppressed: [] }
  }
  const { pending, ...written } = await ctx.db.transaction(async (tx) => {
    const rows = await record(tx, [])
    const { changes, soft } = statusChangesOf(rows)
    const suppressed = await applyStatusChanges(tx, workspaceId, { changes, soft })
    await countRefusals(tx, workspaceId, rows.flatMap(refusalIn))
    return {
      rows,
      suppressed,
      pending: await publishStatusChanges(tx, workspaceId, {
        ...{ changes, suppressed },
        delays: delaysIn(rows),
      }),
    }
  })
  if (pending > 0) ctx.wake('webhook')
  return written
}

/**
 * Whether an outcome may suppress its address, counts towards that as a soft bounce, or is a
 * refusal to count.
 */
const hasConsequences = ({ event, bounce = null, response }: AttemptOutcome): boolean =>
  event === 'bounced' ||
  bounce === 'soft' ||
  ((event === 'failed' || event === 'deferred') &&
    response !== null &&
    isCountedRefusal({ isTemporary: event === 'deferred', attempts: 1, bounce, text: response }))

function refusalIn({
  target,
  event,
  was,
  status,
  bounce,
  response,
  attempts,
}: RecordedRow): Refusal[] {
  const isTemporary = event === 'deferred'
  if (
    response === null ||
    !(isTemporary || ((event === 'failed' || event === 'bounced') && was !== status))
  )
    return []
  return [{ target, isTemporary, attempts, bounce, text: response }]
}

/** Selects the rows that are tried again because their mail host put them off. */
const delaysIn = (rows: RecordedRow[]): Delay[] =>
  rows
    .filter(({ event, was, status }) => event === 'deferred' && was === status)
    .map(({ target, response, error }) => ({ target, error: response ?? error }))

/** Selects the rows whose status changed, and those that finally failed with a soft bounce. */
function statusChangesOf(rows: RecordedRow[]): StatusChanges {
  const changes = rows.filter(({ was, status }) => was !== status)
  return {
    changes: changes.map(({ target, email, was, status, bounce, error }) => ({
      ...{ target, email, was, status, bounce, error, complaint: null },
      code: error && bounceCode(error),
    })),
    soft: changes.flatMap(({ status, bounce, email, at, target }) =>
      status === 'failed' && bounce === 'soft'
        ? [{ email, handedOverAt: at, sourceId: sourceIdOf(target) }]
        : [],
    ),
  }
}

/**
 * Call it after the commit. The addresses are suppressed by then and each claim checks that, so
 * this only stops pending rows sooner.
 */
export async function followRefusals(
  ctx: Context,
  { workspaceId, rows, suppressed }: { workspaceId: number } & WrittenOutcomes<RecordedRow>,
): Promise<void> {
  const report = (error: unknown) =>
    ctx.log.warn({ err: error }, 'Suppressed mail was not stopped at once; its claim stops it')
  if (suppressed.length > 0) await stopPendingMailTo(ctx, { workspaceId, suppressed }).catch(report)
  if (rows.some(({ was, status }) => status === 'bounced' && was !== 'bounced')) {
    await notifySuspensionChange(ctx, workspaceId).catch((error: unknown) =>
      ctx.log.warn(
        { err: error },
        'The account status of a workspace was not checked; the clean-up checks it later',
      ),
    )
  }
}
