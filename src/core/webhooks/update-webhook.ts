/** PATCH /webhooks/{id}: what is given changes; the journal stays. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { updateWebhook as writeWebhook } from '../../db/webhooks.ts'
import type { WebhookContext } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'
import { readName, readUrl } from './read-webhook.ts'
import { showWebhook } from './show-webhook.ts'

/** Throws `not_found`, `validation_error`. */
export async function updateWebhook(
  ctx: Pick<WebhookContext, 'db' | 'outbound' | 'wake' | 'workspaceId'>,
  { params: { id }, body }: Pick<InputOf<'updateWebhook'>, 'params' | 'body'>,
): Promise<AnswerOf<'updateWebhook'>> {
  const before = await findWebhook(ctx, ctx.workspaceId, id)
  const url = body.url === undefined ? null : readUrl(ctx, body.url)
  const change = {
    name: body.name === undefined ? null : readName(body.name, url ?? new URL(before.url)),
    ...{ url: url?.href ?? null, host: url?.host ?? null },
    events: body.events === undefined ? null : [...new Set(body.events)],
    enabled: body.enabled ?? null,
  }
  if (!(await writeWebhook(ctx.db, ctx.workspaceId, id, change))) throw new ApiError('not_found', { id })
  ctx.wake('webhook')
  return { body: showWebhook(await findWebhook(ctx, ctx.workspaceId, id)) }
}
