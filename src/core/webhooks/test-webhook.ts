/**
 * POST /webhooks/{id}/test: sends an event of the real form whose data is `{test: true}`, and waits
 * for the answer.
 */
import { recordAttempts } from '../../db/webhooks/webhook-claims.ts'
import { insertTest } from '../../db/webhooks/webhook-journal.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { failingSeconds, leaseSecondsOf } from './delivery-rules.ts'
import { deliveryIdOf } from '../presentation/event-id.ts'
import { findWebhook } from './find-webhook.ts'
import { openWebhookSecrets } from './webhook-secret.ts'
import type { Verb } from '../verb.ts'

/** Makes one attempt: the entry is delivered or failed when it returns. Throws `not_found`. */
export const testWebhook: Verb<'testWebhook'> = async (ctx, { params }) => {
  const { db, workspaceId } = ctx
  const webhook = await findWebhook(ctx, { workspaceId, id: params.id })
  const [type = 'email.delivered'] = webhook.events
  const delivery = await insertTest(db, workspaceId, {
    webhookId: webhook.id,
    type,
    leaseSeconds: leaseSecondsOf(ctx.settings),
  })
  const secrets = openWebhookSecrets(ctx.secrets, workspaceId, webhook)
  const attempt = await attemptDelivery(ctx, { ...delivery, url: webhook.url, secrets })
  await recordAttempts(
    db,
    workspaceId,
    [{ ...attempt, ...delivery, webhookId: webhook.id, body: attempt.body }],
    { failingSeconds },
  )
  return {
    body: {
      object: 'webhook_test',
      delivery_id: deliveryIdOf(webhook.id, delivery.eventId),
      status: attempt.outcome === 'delivered' ? 'delivered' : 'failed',
      attempts: 1,
      response_status: attempt.status,
      error: attempt.error,
    },
  }
}
