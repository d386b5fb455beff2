/** DELETE /webhooks/{id}: deletes the subscription and its journal. */
import { ApiError } from '../../contract/errors.ts'
import { deleteDeliveries, waitForPublishers } from '../../db/webhooks/webhook-journal.ts'
import { dropWebhook, hideWebhook } from '../../db/webhooks/webhooks.ts'
import type { Context, RowKey } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { findWebhook } from './find-webhook.ts'
import type { Verb } from '../verb.ts'

/** Entries that one statement deletes. */
const atOnce = 5_000

/** The first step ends all deliveries; a long journal is deleted in pieces. Throws `not_found`. */
export const deleteWebhook: Verb<'deleteWebhook'> = async (ctx, { params: { id } }) => {
  const { name } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id })
  const isThere = await ctx.db.transaction(async (tx) => {
    const hidden = await hideWebhook(tx, ctx.workspaceId, id)
    if (hidden) await recordAuditEntry(tx, ctx, { act: 'webhook.deleted', subject: name })
    return hidden
  })
  if (!isThere) throw new ApiError('not_found', { id })
  await dropHidden(ctx, { workspaceId: ctx.workspaceId, id })
  return { body: { object: 'webhook', id, deleted: true } }
}

/**
 * Deletes the journal of a hidden webhook, then the webhook. A deletion that was interrupted is
 * continued.
 */
export async function dropHidden(
  ctx: Pick<Context, 'db'>,
  { workspaceId, id }: RowKey,
): Promise<void> {
  // Waits for transactions that still saw the subscription.
  await waitForPublishers(ctx.db, workspaceId)
  while ((await deleteDeliveries(ctx.db, workspaceId, id, atOnce)) === atOnce);
  await dropWebhook(ctx.db, workspaceId, id)
}
