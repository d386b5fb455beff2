/**
 * POST /webhooks/{id}/rotate: makes a new secret. The old one also signs for a while, so that
 * receivers can change without a gap.
 */
import { ApiError } from '../../contract/errors.ts'
import { replaceSecret } from '../../db/webhooks/webhooks.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { findWebhook } from './find-webhook.ts'
import { presentWithSecret } from './present-webhook.ts'
import { makeSecret, sealSecret } from './webhook-secret.ts'
import type { Verb } from '../verb.ts'

const overlapHoursDefault = 24

/** Throws `not_found`. */
export const rotateWebhookSecret: Verb<'rotateWebhookSecret'> = async (ctx, { params, query }) => {
  const { id, name } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const secret = makeSecret()
  const overlapHours = query.overlap_hours ?? overlapHoursDefault
  const rotation = {
    secret: sealSecret(ctx.secrets, ctx.workspaceId, id, secret),
    overlapSeconds: overlapHours * 3_600,
  }
  const isThere = await ctx.db.transaction(async (tx) => {
    const replaced = await replaceSecret(tx, ctx.workspaceId, id, rotation)
    if (replaced)
      await recordAuditEntry(tx, ctx, {
        act: 'webhook.secret_replaced',
        subject: name,
        details: { overlapHours },
      })
    return replaced
  })
  if (!isThere) throw new ApiError('not_found', { id })
  return {
    body: presentWithSecret(await findWebhook(ctx, { workspaceId: ctx.workspaceId, id }), secret),
  }
}
