/**
 * Starts a campaign when its time has come. One that cannot start, or is far too late, becomes a
 * draft again with a reason.
 */
import { ApiError } from '../../contract/errors.ts'
import { sqlState } from '../../database/client/database-errors.ts'
import type { Database } from '../../database/client/database.ts'
import {
  lockCampaign,
  lockNotAvailable,
  returnToDraft,
} from '../../db/campaigns/campaign-freeze.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import type { Context, RowKey } from '../context.ts'
import { approvalNotice } from './approval/require-approval.ts'
import { freezeCampaign, type FreezeOptions } from './freeze-campaign.ts'

/** After a long outage the sender may have other plans (semantics 3). */
const overdueMaxSeconds = 3600

export async function startScheduled(
  ctx: Pick<Context, 'db' | 'segmentDb' | 'settings' | 'failpoints' | 'wake' | 'log'>,
  { workspaceId, id, ...limits }: RowKey & Pick<FreezeOptions, 'audienceTimeoutMs'>,
): Promise<void> {
  const key = { workspaceId, campaignId: id }
  const late = await ctx.db
    .transaction((tx) => returnOverdue(tx, key))
    .catch((error: unknown) => {
      if (sqlState(error) === lockNotAvailable) return null
      throw error
    })
  // Another process holds the row, and freezes its list.
  if (late === null) return
  if (late)
    return ctx.log.warn(
      key,
      'A scheduled campaign was more than an hour overdue: it is a draft again',
    )
  try {
    await freezeCampaign(ctx, {
      ...{ workspaceId, id, from: 'scheduled', undoSeconds: 0, canary: null },
      ...limits,
    })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const unapproved = approvalNotice(error)
    // Another process started it, another list is in its way, or a user cancelled the schedule.
    if (unapproved === null && (error.code === 'conflict' || error.code === 'not_found')) return
    await returnToDraft(ctx.db, key, unapproved ?? noticeOf(error))
    ctx.log.warn(
      { ...key, code: error.code, details: error.details },
      'A scheduled campaign was refused: it is a draft again',
    )
  }
}

/** A refusal without a reason is one of a part of the audience. */
function noticeOf({ code, details: { reason, rule, expected } }: ApiError): string {
  if (code !== 'validation_error') return code
  if (rule === 'campaign_expired') return `audience_expired ${String(expected)}`
  return typeof reason === 'string' ? reason : 'audience_invalid'
}

async function returnOverdue(tx: Database, key: CampaignKey): Promise<boolean> {
  const locked = await lockCampaign(tx, key)
  const isLate = locked?.status === 'scheduled' && (locked.overdueSeconds ?? 0) > overdueMaxSeconds
  if (isLate) await returnToDraft(tx, key, 'overdue')
  return isLate
}
