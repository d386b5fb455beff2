/** GET /campaigns/{id}/flight: where a campaign stands, how fast it goes, and what people may do about it now. */
import { draftNotices, pauseReasons, retryableLookedMax } from '../../../contract/workspace/campaign-flight.ts'
import type { CampaignFlight } from '../../../contract/workspace/campaign-flight.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { campaignPace, countRetryable } from '../../../db/campaign-pace.ts'
import type { Retryable } from '../../../db/campaign-pace.ts'
import type { CampaignRow } from '../../../db/campaigns.ts'
import type { CallContext, Context } from '../../context.ts'
import { rfc3339 } from '../../emails/read-time.ts'
import { findCampaign } from '../find-campaign.ts'
import { asTyped } from '../show-campaign.ts'
import { actsOf } from './flight-acts.ts'

export async function getCampaignFlight(
  ctx: CallContext,
  { params }: InputOf<'getCampaignFlight'>,
): Promise<AnswerOf<'getCampaignFlight'>> {
  return { body: await readFlight(ctx, ctx.workspaceId, params.id) }
}

/** Throws `not_found`. */
export async function readFlight(
  ctx: Pick<CallContext, 'db' | 'language'>,
  workspaceId: number,
  id: string,
): Promise<CampaignFlight> {
  const row = await findCampaign(ctx, workspaceId, id)
  const key = { workspaceId, campaignId: row.id }
  const [pace, retryable] = await Promise.all([campaignPace(ctx.db, key), countSettledFailures(ctx, workspaceId, row)])
  const isMoving = row.status === 'sending' && row.pausedAt === null && row.canceledAt === null
  return {
    campaign: asTyped(row, ctx.language),
    now: rfc3339(pace.now),
    acts: actsOf(row, { now: pace.now, canRetry: retryable.count > 0 || retryable.more }),
    unfinished: row.unfinished,
    pauseReason: pauseReasons.find((reason) => reason === row.pauseReason) ?? null,
    notice: draftNotices.find((notice) => notice === row.notice) ?? null,
    canceledAt: row.canceledAt && rfc3339(row.canceledAt),
    heldUntil: row.heldUntil && rfc3339(row.heldUntil),
    perSecond: isMoving ? pace.perSecond : null,
    estimatedEndAt: isMoving && pace.endsAt ? rfc3339(pace.endsAt) : null,
    nextTryAt: pace.nextTryAt && rfc3339(pace.nextTryAt),
    cancelled: row.cancelled,
    retryable: retryable.count,
    moreRetryable: retryable.more,
  }
}

/** While others are on their way nobody is asked to look for those who failed. */
async function countSettledFailures({ db }: Pick<Context, 'db'>, workspaceId: number, row: CampaignRow): Promise<Retryable> {
  if (row.status !== 'sent' || row.progress.failed <= row.cancelled) return { count: 0, more: false }
  return countRetryable(db, { workspaceId, campaignId: row.id }, retryableLookedMax)
}
