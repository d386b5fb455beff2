/** What Resend has of webhooks under a path of its own. */
import type { ResendRoute } from './answer-resend-call.ts'

/** The former secret signs beside the new one for the time that our verb gives it. */
export const rotateSigningSecret: ResendRoute = {
  scope: 'webhooks:write',
  async work({ perform, params: { id0: id = '' } }) {
    const { secret } = await perform('rotateWebhookSecret', { params: { id } })
    return { body: { object: 'webhook', id, signing_secret: secret } }
  },
}
