/**
 * POST /webhooks/{id}/deliveries/{deliveryId}/replay: makes one more attempt with the same bytes
 * and a new signature, and waits for the answer.
 */
import { ApiError } from '../../contract/errors.ts'
import { beginReplay, recordReplay } from '../../db/webhooks/webhook-journal.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { eventIdOf } from '../presentation/event-id.ts'
import { absentOrExpired, limitOf } from '../presentation/expiry.ts'
import { findWebhook } from './find-webhook.ts'
import { openWebhookSecrets } from './webhook-secret.ts'
import type { Verb } from '../verb.ts'

/**
 * Works from any state. The answer's `status` is that of this attempt; a delivered entry stays
 * `delivered`. Throws `not_found`, with `expiredAt` where the event has expired.
 */
export const replayWebhookDelivery: Verb<'replayWebhookDelivery'> = async (
  ctx,
  { params: { id, deliveryId } },
) => {
  const { db, workspaceId } = ctx
  const webhook = await findWebhook(ctx, { workspaceId, id })
  const eventId = eventIdOf(webhook.id, deliveryId)
  const delivery =
    eventId === null ? null : await beginReplay(db, workspaceId, { webhookId: webhook.id, eventId })
  if (!delivery) throw absentOrExpired(await limitOf(ctx, 'events'), { id: deliveryId })
  const secrets = openWebhookSecrets(ctx.secrets, workspaceId, webhook)
  const attempt = await attemptDelivery(ctx, { ...delivery, url: webhook.url, secrets })
  const isDelivered = attempt.outcome === 'delivered'
  const attempts = await recordReplay(db, workspaceId, {
    ...delivery,
    ...attempt,
    webhookId: webhook.id,
    isDelivered,
  })
  if (attempts === null) throw new ApiError('not_found', { id: deliveryId })
  return {
    body: {
      ...{
        object: 'webhook_delivery',
        id: deliveryId,
        status: isDelivered ? 'delivered' : 'failed',
        attempts,
      },
      ...{ response_status: attempt.status, error: attempt.error },
    },
  }
}
