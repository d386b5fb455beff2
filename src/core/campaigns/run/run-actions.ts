/** Lists the actions that a campaign's state allows, in display order; each verb checks again. */
import {
  campaignRunActions,
  type CampaignRunAction,
} from '../../../contract/workspace/campaign-run.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'

/**
 * `canRetry`: some failed recipients can be retried. `areExpired`: the recipients. `now`: the
 * database's time.
 */
export function actsOf(
  row: CampaignRow,
  { now, canRetry, areExpired }: { now: Date; canRetry: boolean; areExpired: boolean },
): CampaignRunAction[] {
  const allowed = new Set<CampaignRunAction>(['duplicate', ...byStatus(row, now)])
  if (isUnderWay(row) && row.progress.in_doubt > 0 && !areExpired) allowed.add('release')
  if (isUnderWay(row) && canRetry) allowed.add('retry')
  return campaignRunActions.filter((act) => allowed.has(act))
}

/** Whether recipients can be sent to again: it is running and not being cancelled, or was sent. */
const isUnderWay = ({ status, canceledAt }: CampaignRow): boolean =>
  status === 'sent' || (status === 'sending' && canceledAt === null)

function byStatus(
  { status, unfinished, canceledAt, pausedAt, pauseReason, heldUntil }: CampaignRow,
  now: Date,
): CampaignRunAction[] {
  switch (status) {
    case 'draft':
      return [...(unfinished ? [] : (['send', 'schedule'] as const)), 'archive', 'delete']
    case 'scheduled':
      return ['schedule', 'unschedule']
    case 'sending': {
      if (canceledAt !== null) return []
      const canUndo = heldUntil !== null && heldUntil > now
      // After a restore only the operator lets it go on.
      const control =
        pausedAt === null
          ? ['pause' as const]
          : pauseReason === 'restore'
            ? []
            : ['resume' as const]
      return [...control, 'cancel', ...(canUndo ? (['undo'] as const) : [])]
    }
    case 'sent':
      return ['archive']
    case 'archived':
      return []
    default:
      return status satisfies never
  }
}
