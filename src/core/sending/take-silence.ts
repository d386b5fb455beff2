/** Takes silence for delivery, on a provider that gives no news, and publishes it (semantics 3). */
import { deliverCampaignBySilence } from '../../db/campaign-silence.ts'
import { deliverBySilence } from '../../db/feedback.ts'
import type { Context } from '../context.ts'
import { emailEvents } from '../webhooks/email-events.ts'
import { telling } from '../webhooks/telling.ts'
import type { FeedbackTarget } from './feedback.ts'

const types = ['email.delivered'] as const
const delivered = (target: FeedbackTarget) => ({ type: 'email.delivered' as const, target })

/** Single messages: how many were taken for delivered. */
export async function takeSilence(
  ctx: Pick<Context, 'db' | 'wake'>,
  workspaceId: number,
  limits: { silenceSeconds: number; most: number },
): Promise<number> {
  const taken = await telling(ctx, workspaceId, types, {
    change: (db, unheard) => deliverBySilence(db, workspaceId, { ...limits, unheard }),
    events: (tx, targets) => emailEvents(tx, workspaceId, targets.map(delivered)),
  })
  return taken.length
}

/** One campaign that is due: how many of its recipients were looked at. */
export async function takeCampaignSilence(
  ctx: Pick<Context, 'db' | 'wake'>,
  workspaceId: number,
  limits: { silenceSeconds: number; most: number },
): Promise<number> {
  const { looked } = await telling(ctx, workspaceId, types, {
    change: (db, unheard) => deliverCampaignBySilence(db, workspaceId, { ...limits, unheard }),
    events: (tx, { delivered: targets }) => emailEvents(tx, workspaceId, targets.map(delivered)),
  })
  return looked
}
