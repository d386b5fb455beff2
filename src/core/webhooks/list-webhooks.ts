/** GET /webhooks: all webhooks of the workspace, without their secrets. */
import { webhooksOf } from '../../db/webhooks/webhooks.ts'
import { presentWebhook } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

export const listWebhooks: Verb<'listWebhooks'> = async (ctx) => {
  const rows = await webhooksOf(ctx.db, ctx.workspaceId)
  return {
    body: { object: 'list', data: rows.map(presentWebhook), has_more: false, next_cursor: '' },
  }
}
