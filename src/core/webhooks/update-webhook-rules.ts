/** PATCH /webhook-rules: whether webhooks that have failed for days are disabled. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { setDisablesFailing } from '../../db/webhooks.ts'
import type { WebhookContext } from './create-webhook.ts'

export async function updateWebhookRules(
  ctx: Pick<WebhookContext, 'db' | 'workspaceId'>,
  { body }: Pick<InputOf<'updateWebhookRules'>, 'body'>,
): Promise<AnswerOf<'updateWebhookRules'>> {
  if (!(await setDisablesFailing(ctx.db, ctx.workspaceId, body.disables_failing))) throw new ApiError('not_found', {})
  return { body: { disables_failing: body.disables_failing } }
}
