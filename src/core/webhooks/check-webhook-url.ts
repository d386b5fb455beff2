/** GET /webhook-url: validates a URL while it is typed, by the rule for storing it. */
import { validateWebhookUrl } from './read-webhook.ts'
import type { Verb } from '../verb.ts'

export const checkWebhookUrl: Verb<'checkWebhookUrl'> = (ctx, { query }) => {
  const checked = validateWebhookUrl(ctx, query.url)
  return Promise.resolve({
    body: { object: 'webhook_url', refusal: 'refusal' in checked ? checked.refusal : null },
  })
}
