/** POST /webhooks/{id}/replay: has the events of a time go out to one webhook again, by the workers. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { replayRange } from '../../db/webhook-journal.ts'
import { readTime, rfc3339 } from '../emails/read-time.ts'
import type { WebhookContext } from './create-webhook.ts'
import { findWebhook } from './find-webhook.ts'

/** Events that one statement looks at. */
const atOnce = 2_000
const first = '00000000-0000-0000-0000-000000000000'

/** Throws `not_found`, `validation_error`. */
export async function replayWebhookEvents(
  ctx: Pick<WebhookContext, 'db' | 'wake' | 'workspaceId'>,
  { params, body }: Pick<InputOf<'replayWebhookEvents'>, 'params' | 'body'>,
): Promise<AnswerOf<'replayWebhookEvents'>> {
  const from = rfc3339(readTime(body.from, 'from'))
  const to = body.to === undefined ? null : rfc3339(readTime(body.to, 'to'))
  const { id } = await findWebhook(ctx, ctx.workspaceId, params.id)
  const range = { from, to, all: body.only === 'all', most: atOnce }
  let queued = 0
  for (let after: string | null = first; after !== null;) {
    const page = await replayRange(ctx.db, ctx.workspaceId, id, { ...range, after })
    queued += page.queued
    after = page.looked === atOnce ? page.last : null
  }
  if (queued > 0) ctx.wake('webhook')
  return { body: { object: 'webhook_replay', webhook_id: id, queued } }
}
