/** GET /webhooks/{id}/replay: counts the deliveries that a replay would send again. */
import { replayCountMax } from '../../contract/workspace/webhooks.ts'
import { countRange } from '../../db/webhooks/webhook-search.ts'
import { findWebhook } from './find-webhook.ts'
import { beforeAll, readRange } from './read-range.ts'
import type { Verb } from '../verb.ts'

/** Events per statement. */
const atOnce = 5_000

/** Throws `not_found`, `validation_error`. */
export const countWebhookReplay: Verb<'countWebhookReplay'> = async (ctx, { params, query }) => {
  const range = { ...readRange(query), max: atOnce }
  const { id } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  let [count, scanned] = [0, 0]
  let after: string | null = beforeAll
  while (after !== null && scanned < replayCountMax) {
    const page = await countRange(ctx.db, ctx.workspaceId, id, { ...range, after })
    count += page.count
    scanned += page.scannedCount
    after = page.scannedCount === atOnce ? page.last : null
  }
  return { body: { object: 'webhook_replay_count', count, at_least: after !== null } }
}
