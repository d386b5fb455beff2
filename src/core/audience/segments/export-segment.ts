/** GET /audience/segments/{id}/export: streams the contacts of a segment as CSV. */
import { existing } from '../../../contract/errors.ts'
import type { Condition } from '../../../contract/segments.ts'
import { selectedPage, type Selection } from '../../../db/audience/segments/segment-members.ts'
import { segmentById } from '../../../db/audience/segments/segments.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { CallContext } from '../../context.ts'
import { subscriberColumns } from '../subscribers/subscriber-columns.ts'
import { writeSubscribers } from '../subscribers/write-subscribers.ts'
import type { Verb } from '../../verb.ts'
import { readSelected, selectionOf } from './select-contacts.ts'

export const exportSegment: Verb<'exportSegment'> = async (ctx, { params }) => {
  const { id, name, definition } = existing(
    await segmentById(ctx.db, ctx.workspaceId, params.id),
    params,
  )
  const columns = subscriberColumns(await fieldKeysOf(ctx.db, ctx.workspaceId))
  // Refuses a definition that can no longer be read before the file begins.
  const { context } = await selectionOf(ctx, { written: definition })
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, { act: 'segment.exported', subject: name }),
  )
  const pages = pagesOf(ctx, { written: definition, at: context.at })
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: `segment-${id}-${context.at.toISOString().slice(0, 10)}.csv`,
      bytes: writeSubscribers(columns, pages),
    },
  }
}

/** A page may read the whole audience once: larger ones than a list has. */
const pageSize = 5_000
const pageSeconds = 60

async function* pagesOf(
  ctx: Pick<CallContext, 'segmentDb' | 'workspaceId'>,
  input: { written: Condition; at: Date },
): AsyncGenerator<SubscriberRow[]> {
  for (let before: string | null = null; ;) {
    const position: string | null = before
    const read = (tx: Parameters<typeof selectedPage>[0], selection: Selection) =>
      selectedPage(tx, selection, {
        ...{ max: pageSize, before: position, timeoutMs: pageSeconds * 1_000 },
      })
    const rows: SubscriberRow[] = await readSelected(ctx, { ...input, seconds: pageSeconds, read })
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    before = rows.at(-1)?.id ?? null
  }
}
