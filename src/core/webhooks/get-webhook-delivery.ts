/**
 * GET /webhooks/{id}/deliveries/{deliveryId}: one delivery with every attempt, its request and its
 * answer.
 */
import type { SentRequest } from '../../db/webhooks/attempt-log.ts'
import { deliveriesOf, eventById } from '../../db/webhooks/webhook-search.ts'
import { eventIdOf, presentEventId } from '../presentation/event-id.ts'
import { absentOrExpired, limitOf } from '../presentation/expiry.ts'
import { findWebhook } from './find-webhook.ts'
import { presentFound } from './list-webhook-journal.ts'
import { nameFailure } from './name-failure.ts'
import { responseOf } from './present-webhook.ts'
import { writeHeaders } from './sign-event.ts'
import type { Verb } from '../verb.ts'

/** Throws `not_found`. */
export const getWebhookDelivery: Verb<'getWebhookDelivery'> = async (ctx, { params }) => {
  const webhook = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const eventId = eventIdOf(webhook.id, params.deliveryId)
  const [row] =
    eventId === null ? [] : await deliveriesOf(ctx.db, ctx.workspaceId, webhook.id, [eventId])
  if (!row) throw absentOrExpired(await limitOf(ctx, 'events'), { id: params.deliveryId })
  const event = await eventById(ctx.db, ctx.workspaceId, row.eventId)
  return {
    body: {
      ...presentFound(row),
      object: 'webhook_delivery_detail',
      webhook_name: webhook.name,
      body: event?.body ?? null,
      attempts_made: row.attemptLog.toReversed().map((logged) => ({
        ...{
          attempt: logged.attempt,
          at: logged.at,
          status: logged.status,
          duration_ms: logged.duration_ms,
        },
        failure: nameFailure(logged),
        request: logged.sent
          ? showRequest(logged.sent, { eventId: row.eventId, body: event?.body ?? null })
          : null,
        answer: responseOf(row, logged),
      })),
    },
  }
}

/**
 * Rebuilds the sent headers: the variable ones are stored, the others are the same on every call
 * (attempt-delivery.ts).
 */
function showRequest(
  { url, signature, standard }: SentRequest,
  { eventId, body }: { eventId: string; body: string | null },
) {
  const headers: Record<string, string> = {
    host: new URL(url).host,
    'user-agent': 'Facteur',
    'content-type': 'application/json',
    ...(body !== null && { 'content-length': String(Buffer.byteLength(body)) }),
    ...writeHeaders({
      service: signature,
      id: presentEventId(eventId),
      timestamp: /^t=(\d+)/.exec(signature)?.[1] ?? '',
      standard,
    }),
  }
  return { url, headers: Object.entries(headers).map(([name, value]) => ({ name, value })) }
}
