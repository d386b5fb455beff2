/** GET /events/{id}: an event as it is delivered, and the webhooks that it went to. */
import { deliveriesOf, eventById } from '../../db/webhooks/webhook-search.ts'
import { webhooksOf } from '../../db/webhooks/webhooks.ts'
import { rfc3339 } from '../input/read-time.ts'
import { readEventId, presentEventId } from '../presentation/event-id.ts'
import { absentOrExpired, limitOf } from '../presentation/expiry.ts'
import { presentFound } from './list-webhook-journal.ts'
import type { Verb } from '../verb.ts'

/** Throws `not_found`. */
export const getEvent: Verb<'getEvent'> = async (ctx, { params }) => {
  const id = readEventId(params.id)
  const event = id === null ? null : await eventById(ctx.db, ctx.workspaceId, id)
  if (!event) throw absentOrExpired(await limitOf(ctx, 'events'), { id: params.id, uuid: id })
  const webhooks = await webhooksOf(ctx.db, ctx.workspaceId)
  // At most twenty.
  const deliveries = await Promise.all(
    webhooks.map(async ({ id: webhookId, name }) => {
      const rows = await deliveriesOf(ctx.db, ctx.workspaceId, webhookId, [event.id])
      return rows.map((row) => ({ ...presentFound(row), webhook_name: name }))
    }),
  )
  return {
    body: {
      object: 'event',
      id: presentEventId(event.id),
      type: event.type,
      test: event.test,
      created_at: rfc3339(event.createdAt),
      body: event.body,
      deliveries: deliveries.flat(),
    },
  }
}
