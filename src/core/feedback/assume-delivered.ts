/**
 * Assumes delivery after a time without feedback, for providers that report none, and publishes the
 * events (semantics 3).
 */
import { assumeCampaignDelivered } from '../../db/feedback/campaign-assumed-delivery.ts'
import { assumeMessagesDelivered } from '../../db/feedback/feedback.ts'
import type { Context } from '../context.ts'
import { emailEvents } from '../events/email-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

const delivered = (target: FeedbackTarget) => ({ type: 'email.delivered' as const, target })

/**
 * Handles single messages; `taken`: how many are now assumed delivered. The look begins behind
 * `from` (at the first if it is null), and the next one may begin at `passedTo`.
 */
export async function assumeDelivered(
  ctx: Pick<Context, 'db' | 'wake'>,
  {
    workspaceId,
    limits,
    from = null,
  }: { workspaceId: number; limits: { silenceSeconds: number; max: number }; from?: Date | null },
): Promise<{ taken: number; passedTo: Date }> {
  const { targets, passedTo } = await changeAndPublish(ctx, {
    workspaceId,
    of: 'assumed delivery',
    change: (db, unsubscribedTypes) =>
      assumeMessagesDelivered(db, workspaceId, { ...limits, from, unsubscribedTypes }),
    events: (tx, changed) => emailEvents(tx, workspaceId, changed.targets.map(delivered)),
  })
  return { taken: targets.length, passedTo }
}

/** Handles one campaign that is due; returns how many of its recipients were examined. */
export async function assumeCampaignMailDelivered(
  ctx: Pick<Context, 'db' | 'wake'>,
  { workspaceId, limits }: { workspaceId: number; limits: { silenceSeconds: number; max: number } },
): Promise<number> {
  const { scannedCount: scanned } = await changeAndPublish(ctx, {
    workspaceId,
    of: 'assumed delivery',
    change: (db, unsubscribedTypes) =>
      assumeCampaignDelivered(db, workspaceId, { ...limits, unsubscribedTypes }),
    events: (tx, { delivered: targets }) => emailEvents(tx, workspaceId, targets.map(delivered)),
  })
  return scanned
}
