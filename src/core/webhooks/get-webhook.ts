/** GET /webhooks/{id}: a webhook with its secret. */
import { findWebhook } from './find-webhook.ts'
import { presentWithSecret } from './present-webhook.ts'
import { openWebhookSecrets } from './webhook-secret.ts'
import type { Verb } from '../verb.ts'

export const getWebhook: Verb<'getWebhook'> = async (ctx, { params }) => {
  const row = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const [secret = ''] = openWebhookSecrets(ctx.secrets, ctx.workspaceId, row)
  return { body: presentWithSecret(row, secret) }
}
