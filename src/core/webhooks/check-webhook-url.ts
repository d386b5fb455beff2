/** GET /webhook-url: validates a URL while it is typed, by the rule for storing it. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { WebhookContext } from './create-webhook.ts'
import { validateWebhookUrl } from './read-webhook.ts'

export function checkWebhookUrl(
  ctx: Pick<WebhookContext, 'outbound'>,
  { query }: Pick<InputOf<'checkWebhookUrl'>, 'query'>,
): Promise<AnswerOf<'checkWebhookUrl'>> {
  const judged = validateWebhookUrl(ctx, query.url)
  return Promise.resolve({ body: { object: 'webhook_url', refusal: 'refusal' in judged ? judged.refusal : null } })
}
