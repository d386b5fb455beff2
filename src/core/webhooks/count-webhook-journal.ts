/** GET /webhooks/{id}/journal/count: how many deliveries match, by status, among the newest of each. */
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { countJournal } from '../../db/webhooks/webhook-search.ts'
import type { Verb } from '../verb.ts'
import { findWebhook } from './find-webhook.ts'
import { readJournalFilter } from './list-webhook-journal.ts'

/** Reads on connections of counts, for which the sending of mail never waits. */
export const countWebhookJournal: Verb<'countWebhookJournal'> = async (ctx, { params, query }) => {
  const { id } = await findWebhook(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const counts = await countJournal(ctx.segmentDb, ctx.workspaceId, id, {
    filter: readJournalFilter(query),
    max: countedEntriesMax + 1,
  })
  const of = (status: string) =>
    boundedCount(counts.find((row) => row.status === status) ?? { count: 0, examined: 0 })
  return {
    body: {
      ...{ object: 'webhook_journal_count', ...of('all') },
      statuses: { delivered: of('delivered'), pending: of('pending'), failed: of('failed') },
    },
  }
}
