/** POST /webhooks: subscribes a URL to event types. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { insertWebhook } from '../../db/webhooks/webhooks.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { readEnabled, readUrl, readWebhookName, requiredUrl } from './read-webhook.ts'
import { presentWithSecret } from './present-webhook.ts'
import { makeSecret, sealSecret } from './webhook-secret.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`, also at the limit per workspace. */
export const createWebhook: Verb<'createWebhook'> = async (ctx, { body }) => {
  const url = requiredUrl(readUrl(ctx, body))
  const id = ctx.makeId()
  const secret = makeSecret()
  const webhook = {
    ...{ id, name: readWebhookName(body.name, url), url: url.href, host: url.host },
    ...{ events: [...new Set(body.events)], enabled: readEnabled(body) ?? true },
    secret: sealSecret(ctx.secrets, ctx.workspaceId, id, secret),
  }
  const row = await ctx.db.transaction(async (tx) => {
    const inserted = await insertWebhook(tx, ctx.workspaceId, webhook, limits.webhooksMax)
    if (inserted)
      await recordAuditEntry(tx, ctx, {
        act: 'webhook.created',
        subject: webhook.name,
        details: { host: webhook.host },
      })
    return inserted
  })
  if (!row)
    throw new ApiError('validation_error', {
      path: '',
      rule: 'webhooks',
      limit: limits.webhooksMax,
    })
  return { body: presentWithSecret(row, secret) }
}
