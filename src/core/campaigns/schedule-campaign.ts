/** Sets when a campaign is sent, or that it is not: a draft is scheduled, a scheduled one is moved or becomes a draft again. */
import { ApiError } from '../../contract/errors.ts'
import { clearSchedule, setSchedule } from '../../db/campaign-life.ts'
import { databaseTimeMs } from '../../db/schema-state.ts'
import type { CampaignRow } from '../../db/campaigns.ts'
import type { Context } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { isPast, judgeTooFar, readTime, rfc3339 } from '../emails/read-time.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/** `at` is RFC 3339, to come and at most a year ahead by the database's clock. Throws `not_found`, `validation_error`, `conflict`. */
export async function scheduleCampaign(
  ctx: Pick<Context, 'db' | 'wake'>,
  workspaceId: number,
  { id, at }: { id: string; at: string },
): Promise<CampaignRow> {
  const scheduledAt = rfc3339(readTime(at, 'scheduledAt'))
  const now = await databaseTimeMs(ctx.db)
  judgeTooFar(scheduledAt, now, 'scheduledAt')
  if (isPast(scheduledAt, now)) throw shapeError([{ path: 'scheduledAt', rule: 'in_the_past' }])
  const { status, fromEmail } = await findCampaign(ctx, workspaceId, id)
  // Found out now, while somebody looks, and not at night when it is due.
  if (status === 'draft' && fromEmail === null) throw new ApiError('validation_error', { reason: 'no_sender' })
  if (!(await setSchedule(ctx.db, { workspaceId, id }, scheduledAt))) await refuseState(ctx, workspaceId, id)
  ctx.wake('campaign')
  return findCampaign(ctx, workspaceId, id)
}

/** Throws `not_found`, or `conflict` when it is not scheduled. */
export async function unscheduleCampaign(ctx: Pick<Context, 'db'>, workspaceId: number, id: string): Promise<CampaignRow> {
  await findCampaign(ctx, workspaceId, id)
  if (!(await clearSchedule(ctx.db, { workspaceId, id }))) await refuseState(ctx, workspaceId, id)
  return findCampaign(ctx, workspaceId, id)
}
