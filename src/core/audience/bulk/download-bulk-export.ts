/** GET /audience/bulk/{id}/file: the frozen contacts as CSV, for the member who confirmed it. */
import { ApiError } from '../../../contract/errors.ts'
import { bulkLimits } from '../../../contract/workspace/bulk-limits.ts'
import { mayDownload } from '../../../db/audience/bulk/bulk-changes.ts'
import { frozenSubscribers } from '../../../db/audience/bulk/bulk-contacts.ts'
import { endOfIds } from '../../../db/audience/subscriber-search.ts'
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { CallContext } from '../../context.ts'
import { subscriberColumns } from '../subscribers/subscriber-columns.ts'
import { writeSubscribers } from '../subscribers/write-subscribers.ts'
import type { Verb } from '../../verb.ts'

export const downloadBulkExport: Verb<'downloadBulkExport'> = async (ctx, { params: { id } }) => {
  const { db, workspaceId } = ctx
  const confirmed = { id, userEmail: ctx.user?.email ?? '', minutes: bulkLimits.downloadMinutes }
  if (!(await mayDownload(db, workspaceId, confirmed))) throw new ApiError('not_found', { id })
  const columns = subscriberColumns(await fieldKeysOf(db, workspaceId))
  const day = ctx.clock.now().toISOString().slice(0, 10)
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: `subscribers-${day}.csv`,
      bytes: writeSubscribers(columns, pagesOf(ctx, id)),
    },
  }
}

const pageSize = 1_000

/** Contacts who were erased since are left out. */
async function* pagesOf(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  id: string,
): AsyncGenerator<SubscriberRow[]> {
  for (let before = endOfIds; ;) {
    const page = await frozenSubscribers(db, workspaceId, { id, before, max: pageSize })
    const rows = page.flatMap((row) => (row.email === null ? [] : [row]))
    if (rows.length > 0) yield rows
    if (page.length < pageSize) return
    before = page.at(-1)?.id ?? before
  }
}
