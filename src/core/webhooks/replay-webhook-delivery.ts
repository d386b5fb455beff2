/** POST /webhooks/{id}/deliveries/{deliveryId}/replay: one more attempt of an entry, the same bytes freshly signed; waits for the answer. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { beginReplay, recordReplay } from '../../db/webhook-journal.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { eventIdOf } from './event-id.ts'
import { findWebhook } from './find-webhook.ts'
import type { AttemptContext } from './test-webhook.ts'
import { openSecrets } from './webhook-secret.ts'

/** From any state; what was delivered stays delivered, and the answer tells this attempt. Throws `not_found`. */
export async function replayWebhookDelivery(
  ctx: AttemptContext,
  { params: { id, deliveryId } }: Pick<InputOf<'replayWebhookDelivery'>, 'params'>,
): Promise<AnswerOf<'replayWebhookDelivery'>> {
  const { db, workspaceId } = ctx
  const webhook = await findWebhook(ctx, workspaceId, id)
  const eventId = eventIdOf(webhook.id, deliveryId)
  const begun = eventId === null ? null : await beginReplay(db, workspaceId, { webhookId: webhook.id, eventId })
  if (!begun) throw new ApiError('not_found', { id: deliveryId })
  const secrets = openSecrets(ctx.secrets, workspaceId, webhook)
  const attempt = await attemptDelivery(ctx, { ...begun, url: webhook.url, secrets })
  const recorded = await recordReplay(db, workspaceId, {
    ...{ ...begun, ...attempt, webhookId: webhook.id },
    isDelivered: attempt.outcome === 'delivered',
  })
  if (!recorded) throw new ApiError('not_found', { id: deliveryId })
  return {
    body: {
      ...{ object: 'webhook_delivery', id: deliveryId, status: recorded.status, attempts: recorded.attempts },
      ...{ response_status: attempt.status, error: attempt.error },
    },
  }
}
