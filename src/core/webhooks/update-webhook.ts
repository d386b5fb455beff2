/** PATCH /webhooks/{id}: changes the given values; the journal stays. */
import { ApiError } from '../../contract/errors.ts'
import { updateWebhookRow as writeWebhook, type WebhookChange } from '../../db/webhooks/webhooks.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { findWebhook } from './find-webhook.ts'
import { readEnabled, readUrl, readWebhookName } from './read-webhook.ts'
import { presentWebhook } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

/** Throws `not_found`, `validation_error`. */
export const updateWebhook: Verb<'updateWebhook'> = async (ctx, { params: { id }, body }) => {
  const before = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id })
  const url = readUrl(ctx, body)
  const change = {
    name: body.name === undefined ? null : readWebhookName(body.name, url ?? new URL(before.url)),
    ...{ url: url?.href ?? null, host: url?.host ?? null },
    events: body.events === undefined ? null : [...new Set(body.events)],
    enabled: readEnabled(body),
  }
  const isThere = await ctx.db.transaction(async (tx) => {
    const written = await writeWebhook(tx, ctx.workspaceId, id, change)
    if (written)
      await recordAuditEntry(tx, ctx, {
        act: 'webhook.changed',
        subject: change.name ?? before.name,
        details: detailsOf(change),
      })
    return written
  })
  if (!isThere) throw new ApiError('not_found', { id })
  ctx.wake('webhook')
  return { body: presentWebhook(await findWebhook(ctx, { workspaceId: ctx.workspaceId, id })) }
}

/** A URL may contain a secret of the receiver, so the log has only its host. */
const detailsOf = ({ host, events, enabled }: WebhookChange) => ({
  ...(host !== null && { host }),
  ...(events !== null && { events: events.join(', ') }),
  ...(enabled !== null && { enabled }),
})
