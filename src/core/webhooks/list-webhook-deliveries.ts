/** GET /webhooks/{id}/deliveries: the webhook's journal, newest first. */
import { limits } from '../../contract/limits.ts'
import { deliveryPage } from '../../db/webhooks/webhook-journal.ts'
import type { DeliveryRow } from '../../db/webhooks/webhook-journal.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import type { WebhookContext } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import { presentDelivery } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

export const listWebhookDeliveries: Verb<
  'listWebhookDeliveries',
  Pick<WebhookContext, 'db' | 'workspaceId'>,
  'params' | 'query'
> = async (ctx, { params, query }) => {
  const webhook = await findWebhook(ctx, ctx.workspaceId, params.id)
  const limit = query.limit ?? limits.pageDefault
  const binding = [ctx.workspaceId, 'deliveries', webhook.id]
  const before = readCursor(query.cursor, binding)?.id ?? null
  const rows = await deliveryPage(ctx.db, ctx.workspaceId, webhook.id, { most: limit + 1, before })
  const place = (row: DeliveryRow) => ({ at: row.createdAt.toISOString(), id: row.eventId })
  return { body: pageOf(rows, { limit, binding, place, show: presentDelivery, found: rows[0]?.found }) }
}
