/**
 * When the recipients of a campaign expired: its counts and statistics stay, and nothing can be
 * done with single recipients.
 */
import { ApiError } from '../../contract/errors.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Context } from '../context.ts'
import { expiredAt, limitOf, refuseExpired } from '../presentation/expiry.ts'

type Parts = Pick<Context, 'db'> & { workspaceId: number }
type Ended = Pick<CampaignRow, 'id' | 'completedAt'>

/** Null if they are stored. */
export const detailsExpiredAt = async (
  ctx: Parts,
  { completedAt }: Ended,
): Promise<string | null> =>
  completedAt && expiredAt(await limitOf(ctx, 'delivery_details'), completedAt)

/** For reads; throws `not_found` with `expiredAt`. */
export async function refuseExpiredRead(ctx: Parts, { id, completedAt: at }: Ended): Promise<void> {
  if (at) refuseExpired(await limitOf(ctx, 'delivery_details'), { id, at })
}

/** For changes; throws `conflict` with `expiredAt`. */
export async function refuseExpiredChange(ctx: Parts, campaign: Ended): Promise<void> {
  const since = await detailsExpiredAt(ctx, campaign)
  if (since)
    throw new ApiError('conflict', { id: campaign.id, reason: 'expired', expiredAt: since })
}
