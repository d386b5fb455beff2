/**
 * GET /webhooks: the webhooks of the workspace newest first, without their secrets; also paged by
 * the `after` and `before` ids of the `resend` SDK. They are twenty at most, so all are read.
 */
import { webhooksOf, type WebhookRow } from '../../db/webhooks/webhooks.ts'
import { askedPage, byCreation, pageOf } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'
import { presentWebhook } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error` for an `after` or `before` that is no webhook of the workspace. */
export const listWebhooks: Verb<'listWebhooks'> = async (ctx, { query }) => {
  const page = askedPage(query, [ctx.workspaceId, 'webhooks'])
  const rows = await webhooksOf(ctx.db, ctx.workspaceId)
  const from =
    page.before?.id ?? (query.after === undefined ? null : rows[placeOf(rows, query, 'after')]?.id)
  const older = from ? rows.filter(({ id }) => id < from) : rows
  const shown = { ...page, position: byCreation, show: presentWebhook }
  if (query.before === undefined) return { body: pageOf(older, shown) }
  // The page nearest to the given id; `has_more`: there are newer ones.
  const newer = older.slice(0, placeOf(older, query, 'before'))
  const body = pageOf(newer.slice(-page.limit), shown)
  return { body: { ...body, has_more: newer.length > page.limit } }
}

function placeOf(
  rows: WebhookRow[],
  query: { after?: string | undefined; before?: string | undefined },
  path: 'after' | 'before',
): number {
  const index = rows.findIndex(({ id }) => id === query[path])
  if (index < 0) throw shapeError([{ path, rule: 'known_id' }])
  return index
}
