/** GET /messages/{id}/deliveries: the webhook deliveries about a message, with their answers. */
import { deliveriesCausedBy } from '../../db/messages/message-pages.ts'
import { deliveryIdOf, presentEventId } from '../presentation/event-id.ts'
import { findMessage } from './find-message.ts'
import type { Verb } from '../verb.ts'

const deliveriesMax = 100

export const listMessageDeliveries: Verb<'listMessageDeliveries'> = async (ctx, { params }) => {
  await findMessage(ctx, params.id)
  const rows = await deliveriesCausedBy(ctx.db, ctx.workspaceId, params.id, deliveriesMax)
  const data = rows.map((row) => ({
    ...{
      object: 'webhook_delivery' as const,
      id: deliveryIdOf(row.webhookId, row.eventId),
      event_id: presentEventId(row.eventId),
    },
    ...{
      webhook_id: row.webhookId,
      webhook_name: row.webhookName,
      url: row.url,
      type: row.type,
      status: row.status,
    },
    ...{
      attempts: row.attempts,
      response_status: row.responseStatus,
      error: row.error,
      created_at: row.createdAt.toISOString(),
    },
  }))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
