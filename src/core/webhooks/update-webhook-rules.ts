/** PATCH /webhook-rules: sets whether webhooks that failed for days are disabled. */
import { ApiError } from '../../contract/errors.ts'
import { setDisablesFailing } from '../../db/webhooks/webhooks.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'

export const updateWebhookRules: Verb<'updateWebhookRules'> = async (
  ctx,
  { body: { disables_failing } },
) => {
  const isThere = await ctx.db.transaction(async (tx) => {
    await recordAuditEntry(tx, ctx, {
      act: 'settings.changed',
      subject: 'webhooks',
      details: { disables_failing },
    })
    return setDisablesFailing(tx, ctx.workspaceId, disables_failing)
  })
  if (!isThere) throw new ApiError('not_found', {})
  return { body: { disables_failing } }
}
