/** GET /webhooks/{id}: a webhook with its secret. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { WebhookContext } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import { presentWebhook } from './present-webhook.ts'
import { openWebhookSecrets } from './webhook-secret.ts'

export async function getWebhook(
  ctx: Pick<WebhookContext, 'db' | 'secrets' | 'workspaceId'>,
  { params }: Pick<InputOf<'getWebhook'>, 'params'>,
): Promise<AnswerOf<'getWebhook'>> {
  const row = await findWebhook(ctx, ctx.workspaceId, params.id)
  const [secret = ''] = openWebhookSecrets(ctx.secrets, ctx.workspaceId, row)
  return { body: { ...presentWebhook(row), secret } }
}
