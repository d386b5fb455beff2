/** GET /webhooks/{id}/journal: the webhook's deliveries, newest first, by status, type and time. */
import type { InputOf } from '../../contract/operations.ts'
import type { DeliveryEntry } from '../../db/webhooks/webhook-journal.ts'
import { searchJournal, type JournalFilter } from '../../db/webhooks/webhook-search.ts'
import { askedPage, pageOf, writeCursor } from '../input/cursor.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'
import { findWebhook } from './find-webhook.ts'
import { nameFailure } from './name-failure.ts'
import { positionOfDelivery, presentJournalEntry } from './present-webhook.ts'
import type { Verb } from '../verb.ts'

/** Throws `not_found`, `validation_error`. */
export const listWebhookJournal: Verb<'listWebhookJournal'> = async (ctx, { params, query }) => {
  const { id } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const filter = readJournalFilter(query)
  const requested = askedPage(query, [ctx.workspaceId, 'journal', id, filter])
  const { max, before } = requested
  const { rows, stoppedAt } = await searchJournal(ctx.db, ctx.workspaceId, id, {
    filter,
    max,
    before: before?.id ?? null,
  })
  const page = pageOf(rows, { ...requested, position: positionOfDelivery, show: presentFound })
  if (!stoppedAt || page.has_more) return { body: page }
  const next_cursor = writeCursor(
    { at: rfc3339(stoppedAt.at), id: stoppedAt.eventId },
    requested.binding,
  )
  return { body: { ...page, has_more: true, next_cursor } }
}

/** The form of a list's entry. */
export const presentFound = (row: DeliveryEntry) => ({
  ...presentJournalEntry(row),
  failure: nameFailure({ error: row.error, status: row.responseStatus }),
})

export function readJournalFilter(query: InputOf<'listWebhookJournal'>['query']): JournalFilter {
  return {
    status: query.status ?? null,
    type: query.type ?? null,
    from: query.from === undefined ? null : rfc3339(readTime(query.from, 'from')),
    to: query.to === undefined ? null : rfc3339(readTime(query.to, 'to')),
  }
}
