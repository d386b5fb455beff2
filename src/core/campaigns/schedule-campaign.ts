/**
 * Schedules a campaign or cancels its schedule: a draft is scheduled; a scheduled one gets a new time or becomes a draft again.
 */
import { ApiError } from '../../contract/errors.ts'
import { clearSchedule, setSchedule } from '../../db/campaigns/campaign-life.ts'
import { databaseTimeMs } from '../../db/connection/schema-state.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../input/validate-shape.ts'
import { isPast, refuseTooFar, readTime, rfc3339 } from '../input/read-time.ts'
import { runInSameTransaction } from './in-the-same-transaction.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/**
 * `at` is RFC 3339, in the future and at most a year ahead by the database's clock. Throws `not_found`, `validation_error`,
 * `conflict`.
 */
export async function scheduleCampaign(
  ctx: Pick<Context, 'db' | 'wake'> & InSameTransaction,
  workspaceId: number,
  { id, at }: { id: string; at: string },
): Promise<CampaignRow> {
  const scheduledAt = rfc3339(readTime(at, 'scheduledAt'))
  const now = await databaseTimeMs(ctx.db)
  refuseTooFar(scheduledAt, now, 'scheduledAt')
  if (isPast(scheduledAt, now)) throw shapeError([{ path: 'scheduledAt', rule: 'in_the_past' }])
  const before = await findCampaign(ctx, workspaceId, id)
  // Checked now, while the user is present, instead of when the campaign is due.
  if (before.status === 'draft' && before.fromEmail === null) throw new ApiError('validation_error', { reason: 'no_sender' })
  await ctx.db.transaction(async (tx) => {
    if (!(await setSchedule(tx, { workspaceId, id }, scheduledAt))) await refuseState({ db: tx }, workspaceId, id)
    await runInSameTransaction(ctx, tx, before)
  })
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/** Throws `not_found`, or `conflict` when it is not scheduled. */
export async function unscheduleCampaign(
  ctx: Pick<Context, 'db'> & InSameTransaction,
  workspaceId: number,
  id: string,
): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    if (!(await clearSchedule(tx, { workspaceId, id }))) await refuseState({ db: tx }, workspaceId, id)
    await runInSameTransaction(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}
