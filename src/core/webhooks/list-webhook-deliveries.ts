/** GET /webhooks/{id}/deliveries: the webhook's journal, newest first. */
import { deliveryPage } from '../../db/webhooks/webhook-journal.ts'
import { askedPage, pageOf } from '../input/cursor.ts'
import { findWebhook } from './find-webhook.ts'
import { positionOfDelivery, presentDelivery } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

export const listWebhookDeliveries: Verb<'listWebhookDeliveries'> = async (
  ctx,
  { params, query },
) => {
  const webhook = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const { max, before, ...page } = askedPage(query, [ctx.workspaceId, 'deliveries', webhook.id])
  const rows = await deliveryPage(ctx.db, ctx.workspaceId, webhook.id, {
    max,
    before: before?.id ?? null,
  })
  return {
    body: pageOf(rows, {
      ...page,
      position: positionOfDelivery,
      show: presentDelivery,
      uncutCount: rows[0]?.uncutCount,
    }),
  }
}
