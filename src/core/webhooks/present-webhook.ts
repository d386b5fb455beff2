/** Presents a webhook and an entry of its journal in the API. */
import type { Static } from '../../contract/schema.ts'
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../../contract/webhooks.ts'
import { beginningOf, type LoggedAttempt } from '../../db/webhooks/attempt-log.ts'
import type { DeliveryEntry, DeliveryRow } from '../../db/webhooks/webhook-journal.ts'
import type { WebhookRow } from '../../db/webhooks/webhooks.ts'
import { byCreation, type CursorPosition } from '../input/cursor.ts'
import { deliveryIdOf, presentEventId } from '../presentation/event-id.ts'

export const presentWebhook = (row: Omit<WebhookRow, 'secret' | 'previousSecret'>): Webhook => ({
  object: 'webhook',
  id: row.id,
  name: row.name,
  ...{ url: row.url, endpoint: row.url },
  events: row.events,
  ...{ enabled: row.enabled, status: row.enabled ? 'enabled' : 'disabled' },
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

/** `secret`: the present one, opened. */
export const presentWithSecret = (
  row: WebhookRow,
  secret: string,
): Static<typeof WebhookWithSecret> => ({
  ...presentWebhook(row),
  secret,
  signing_secret: secret,
})

export const presentDelivery = (row: DeliveryRow): WebhookDelivery => ({
  ...presentJournalEntry(row),
  response_body: row.responseBody,
  attempt_log: row.attemptLog.map((logged) => showLogged(row, logged)),
})

/** Its place in the journal. */
export const positionOfDelivery = ({ createdAt, eventId }: DeliveryEntry): CursorPosition =>
  byCreation({ createdAt, id: eventId })

/** Without the request and answer bodies, which are long. */
export const presentJournalEntry = (row: DeliveryEntry) => ({
  object: 'webhook_delivery' as const,
  id: deliveryIdOf(row.webhookId, row.eventId),
  webhook_id: row.webhookId,
  event_id: presentEventId(row.eventId),
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  response_status: row.responseStatus,
  error: row.error,
  duration_ms: row.durationMs,
  test: row.test,
  created_at: row.createdAt.toISOString(),
  last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
  next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
})

function showLogged(
  row: DeliveryRow,
  logged: LoggedAttempt,
): WebhookDelivery['attempt_log'][number] {
  const { attempt, at, status: response_status, error, duration_ms } = logged
  const status = error === null ? 'delivered' : 'failed'
  return {
    attempt,
    at,
    status,
    response_status,
    response_body: responseOf(row, logged),
    error,
    duration_ms,
  }
}

/** Logs from before 0.2.0 may lack successful responses: the entry has the newest one. */
export function responseOf(
  { attemptLog, responseBody }: DeliveryRow,
  logged: LoggedAttempt,
): string | null {
  if (logged.answer !== undefined) return logged.answer
  return logged === attemptLog.at(-1) && logged.error === null && responseBody !== null
    ? beginningOf(responseBody)
    : null
}
