/** Finds a webhook of the workspace by its identifier, also with its signing secrets. */
import { existing } from '../../contract/errors.ts'
import { webhookById, type WebhookRow } from '../../db/webhooks/webhooks.ts'
import { isId } from '../../ground/ids.ts'
import type { Context, RowKey } from '../context.ts'

/** Throws `not_found`. */
export async function findWebhook(
  ctx: Pick<Context, 'db'>,
  { workspaceId, id }: RowKey,
): Promise<WebhookRow> {
  const row = existing(isId(id) ? await webhookById(ctx.db, workspaceId, id) : null, { id })
  return row
}
