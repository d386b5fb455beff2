/** GET /audience/export: streams the filtered subscribers as CSV that imports can read again. */
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { Context } from '../../context.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { findPage, type AudienceFilter } from './search-subscribers.ts'
import { subscriberColumns } from './subscriber-columns.ts'
import { writeSubscribers } from './write-subscribers.ts'
import type { Verb } from '../../verb.ts'

export const exportSubscribers: Verb<'exportSubscribers'> = async (ctx, { query }) => {
  const columns = subscriberColumns(await fieldKeysOf(ctx.db, ctx.workspaceId))
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, { act: 'subscribers.exported', subject: describe(query) }),
  )
  const day = ctx.clock.now().toISOString().slice(0, 10)
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: `subscribers-${day}.csv`,
      bytes: writeSubscribers(columns, pagesOf(ctx, ctx.workspaceId, query)),
    },
  }
}

/** The filters as the audit log shows them. */
const describe = (filter: AudienceFilter): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

const pageSize = 1_000

async function* pagesOf(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  filter: AudienceFilter,
): AsyncGenerator<SubscriberRow[]> {
  for (let before: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof findPage>> = await findPage(ctx, {
      workspaceId,
      filter,
      max: pageSize,
      before,
    })
    if (page.rows.length > 0) yield page.rows
    if (page.next === null) return
    before = page.next.id
  }
}
