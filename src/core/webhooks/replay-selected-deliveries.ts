/**
 * POST /webhooks/{id}/journal/replay: schedules selected deliveries of one webhook again, by the
 * workers.
 */
import { replayChosen } from '../../db/webhooks/webhook-journal.ts'
import { eventIdOf } from '../presentation/event-id.ts'
import type { Verb } from '../verb.ts'
import { findWebhook } from './find-webhook.ts'

/** Throws `not_found`. */
export const replaySelectedDeliveries: Verb<'replaySelectedDeliveries'> = async (
  ctx,
  { params, body },
) => {
  const { id } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const selected = [...new Set(body.ids)]
  const eventIds = selected.flatMap((deliveryId) => eventIdOf(id, deliveryId) ?? [])
  const queued = await replayChosen(ctx.db, ctx.workspaceId, id, eventIds)
  if (queued > 0) ctx.wake('webhook')
  return {
    body: { object: 'webhook_replay_selected', queued, left_out: selected.length - queued },
  }
}
