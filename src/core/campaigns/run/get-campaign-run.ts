/** GET /campaigns/{id}/run: a campaign's status and speed, and what users can do with it now. */
import {
  draftNotices,
  pauseReasons,
  retryableScannedMax,
  type CampaignRun,
} from '../../../contract/workspace/campaign-run.ts'
import {
  campaignPace,
  countRetryable,
  type Retryable,
} from '../../../db/campaigns/campaign-pace.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CallContext, Context, RowKey } from '../../context.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { presentApproval } from '../approval/present-approval.ts'
import { detailsExpiredAt } from '../expired-details.ts'
import { findCampaign } from '../find-campaign.ts'
import { presentForUsers } from '../../presentation/present-campaign.ts'
import { actsOf } from './run-actions.ts'
import type { Verb } from '../../verb.ts'
import { explainCampaignRefusals } from './explain-campaign-refusals.ts'

export const getCampaignRun: Verb<'getCampaignRun'> = async (ctx, { params }) => {
  return { body: await readRun(ctx, { workspaceId: ctx.workspaceId, id: params.id }) }
}

/** Throws `not_found`. */
export async function readRun(
  ctx: Pick<CallContext, 'db' | 'language' | 'settings'> & Partial<Pick<CallContext, 'user'>>,
  { workspaceId, id }: RowKey,
): Promise<CampaignRun> {
  const row = await findCampaign(ctx, { workspaceId, id })
  const detailsExpired = await detailsExpiredAt({ ...ctx, workspaceId }, row)
  const isMoving = row.status === 'sending' && row.pausedAt === null && row.canceledAt === null
  const [pace, refusals, retryable, approval] = await Promise.all([
    campaignPace(ctx.db, { workspaceId, campaignId: row.id, isMoving }),
    explainCampaignRefusals(ctx, { workspaceId, row }),
    detailsExpired === null ? countFinalFailures(ctx, workspaceId, row) : { count: 0, more: false },
    presentApproval(ctx, { workspaceId, campaignId: row.id }),
  ])
  return {
    campaign: presentForUsers(row, ctx.language),
    now: rfc3339(pace.now),
    acts: actsOf(row, {
      now: pace.now,
      canRetry: retryable.count > 0 || retryable.more,
      areExpired: detailsExpired !== null,
    }),
    unfinished: row.unfinished,
    pauseReason: pauseReasons.find((reason) => reason === row.pauseReason) ?? null,
    ...refusals,
    approval,
    ...readNotice(row.notice),
    frozenAt: row.frozenAt && rfc3339(row.frozenAt),
    canceledAt: row.canceledAt && rfc3339(row.canceledAt),
    heldUntil: row.heldUntil && rfc3339(row.heldUntil),
    perSecond: isMoving ? pace.perSecond : null,
    estimatedEndAt: isMoving && pace.endsAt ? rfc3339(pace.endsAt) : null,
    nextTryAt: pace.nextTryAt && rfc3339(pace.nextTryAt),
    cancelled: row.cancelled,
    retryable: retryable.count,
    moreRetryable: retryable.more,
    detailsExpiredAt: detailsExpired,
  }
}

/** A notice may carry a day behind its word. */
function readNotice(stored: string | null): Pick<CampaignRun, 'notice' | 'noticeDay'> {
  const [word, day = null] = stored?.split(' ') ?? []
  const notice = draftNotices.find((each) => each === word) ?? null
  return { notice, noticeDay: notice && day }
}

/** Failures are counted only after the run: while others are pending, a retry is not offered. */
async function countFinalFailures(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  row: CampaignRow,
): Promise<Retryable> {
  if (row.status !== 'sent' || row.progress.failed <= row.cancelled)
    return { count: 0, more: false }
  return countRetryable(db, { workspaceId, campaignId: row.id }, retryableScannedMax)
}
