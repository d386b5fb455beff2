/** POST /webhooks/{id}/rotate: a new secret; the old one signs beside it for a while, so that receivers change without a gap. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { replaceSecret } from '../../db/webhooks.ts'
import type { WebhookContext } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import { showWebhook } from './show-webhook.ts'
import { makeSecret, sealSecret } from './webhook-secret.ts'

const overlapHoursDefault = 24

/** Throws `not_found`. */
export async function rotateWebhookSecret(
  ctx: Pick<WebhookContext, 'db' | 'secrets' | 'workspaceId'>,
  { params, query }: Pick<InputOf<'rotateWebhookSecret'>, 'params' | 'query'>,
): Promise<AnswerOf<'rotateWebhookSecret'>> {
  const { id } = await findWebhook(ctx, ctx.workspaceId, params.id)
  const secret = makeSecret()
  const rotation = {
    secret: sealSecret(ctx.secrets, ctx.workspaceId, id, secret),
    overlapSeconds: (query.overlap_hours ?? overlapHoursDefault) * 3_600,
  }
  if (!(await replaceSecret(ctx.db, ctx.workspaceId, id, rotation))) throw new ApiError('not_found', { id })
  return { body: { ...showWebhook(await findWebhook(ctx, ctx.workspaceId, id)), secret } }
}
