/**
 * POST /webhooks/{id}/replay: schedules the events of a period for delivery to one webhook again,
 * by the workers.
 */
import { replayRange } from '../../db/webhooks/webhook-journal.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'
import { limitOf } from '../presentation/expiry.ts'
import { findWebhook } from './find-webhook.ts'
import { beforeAll, readRange } from './read-range.ts'
import type { Verb } from '../verb.ts'

/** Events per statement. */
const atOnce = 2_000

/** Throws `not_found`, `validation_error`. */
export const replayWebhookEvents: Verb<'replayWebhookEvents'> = async (ctx, { params, body }) => {
  const range = { ...readRange(body), max: atOnce }
  const { id } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const expiredBefore = await expiredPart(ctx, range)
  let queued = 0
  for (let after: string | null = beforeAll; after !== null;) {
    const page = await replayRange(ctx.db, ctx.workspaceId, id, { ...range, after })
    queued += page.queued
    after = page.scannedCount === atOnce ? page.last : null
  }
  if (queued > 0) ctx.wake('webhook')
  return {
    body: {
      object: 'webhook_replay',
      webhook_id: id,
      queued,
      ...(expiredBefore !== null && { expiredBefore }),
    },
  }
}

/** Until when the events of a range have expired. Null if none has. */
async function expiredPart(ctx: CallContext, { from }: { from: string }): Promise<string | null> {
  const { before } = await limitOf(ctx, 'events')
  return before === null || new Date(from) >= before ? null : rfc3339(before)
}
