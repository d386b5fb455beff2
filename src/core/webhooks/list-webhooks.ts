/** GET /webhooks: all webhooks of the workspace, without their secrets. */
import type { AnswerOf } from '../../contract/operations.ts'
import { webhooksOf } from '../../db/webhooks/webhooks.ts'
import type { WebhookContext } from './create-webhook.ts'
import { presentWebhook } from './present-webhook.ts'

export async function listWebhooks(ctx: Pick<WebhookContext, 'db' | 'workspaceId'>): Promise<AnswerOf<'listWebhooks'>> {
  const rows = await webhooksOf(ctx.db, ctx.workspaceId)
  return { body: { object: 'list', data: rows.map(presentWebhook), has_more: false, next_cursor: '' } }
}
