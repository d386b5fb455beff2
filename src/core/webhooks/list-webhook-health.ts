/** GET /webhook-health: each webhook with the results of its recent deliveries. */
import { limits } from '../../contract/limits.ts'
import {
  countedMax,
  healthDays,
  troublesCountedMax,
  type WebhookHealth,
} from '../../contract/workspace/webhooks.ts'
import {
  disablesFailing,
  webhookHealth,
  type WebhookHealthRow,
} from '../../db/webhooks/webhook-health.ts'
import { nameFailure } from './name-failure.ts'
import { presentWebhook } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

export const listWebhookHealth: Verb<'listWebhookHealth'> = async (ctx) => {
  const { db, workspaceId } = ctx
  const rows = await webhookHealth(db, workspaceId, {
    days: healthDays,
    max: countedMax,
    troublesMax: troublesCountedMax,
  })
  return {
    body: {
      object: 'webhooks_health',
      webhooks: rows.map(show),
      webhooks_max: limits.webhooksMax,
      days: healthDays,
      counted_max: countedMax,
      troubles_counted_max: troublesCountedMax,
      disables_failing: await disablesFailing(db, workspaceId),
    },
  }
}

function show(row: WebhookHealthRow): WebhookHealth {
  const failure = nameFailure(row)
  return {
    webhook: presentWebhook(row),
    delivered: row.delivered,
    failed: row.failed,
    waiting: row.waiting,
    last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
    last_failure:
      failure && row.failedAt
        ? {
            ...failure,
            at: row.failedAt.toISOString(),
            next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
          }
        : null,
    failing_since: row.failingSince?.toISOString() ?? null,
    disabled: row.enabled
      ? null
      : { because: row.disabledBecause ?? 'asked', at: row.disabledAt?.toISOString() ?? null },
    previous_secret_until: row.previousUntil?.toISOString() ?? null,
  }
}
