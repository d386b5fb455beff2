/**
 * Reads a page of `GET /emails` without messages whose line has expired, whether their rows are
 * still there or not.
 */
import type { Database } from '../../database/client/database.ts'
import type { AskedMessages, MessageFilter } from '../../db/messages/message-filter.ts'
import { messagePage, type PageRow } from '../../db/messages/message-list.ts'
import type { MessageRow } from '../../db/messages/messages.ts'
import { stayingMessages } from '../../db/messages/staying-messages.ts'
import { rfc3339 } from '../input/read-time.ts'

type Page = { rows: (MessageRow & PageRow)[]; uncutCount: number }

/**
 * Newest first. `uncutCount`: the rows of the page before it was cut at its bytes. One statement
 * reads it, unless it reaches messages that are older than the limit: of these, the ones that stay
 * follow those of within it.
 */
export async function storedPage(
  ctx: { db: Database; workspaceId: number },
  { filter, page }: { filter: MessageFilter; page: AskedMessages },
): Promise<Page> {
  const { db, workspaceId } = ctx
  const rows = await messagePage(db, workspaceId, filter, page)
  const [first, oldest] = [rows[0], rows.at(-1)]
  if (!first?.storedSince || !oldest || oldest.createdAt >= first.storedSince)
    return { rows, uncutCount: first?.uncutCount ?? 0 }
  const since = first.storedSince
  const staying = async (max: number): Promise<Page> => {
    const ids = await stayingMessages(db, workspaceId, {
      ...page,
      since,
      until: filter.until,
      recipient: filter.recipient,
    })
    return pageFrom(
      ids.length === 0 ? [] : await messagePage(db, workspaceId, filter, { ...page, max }, ids),
    )
  }
  if (page.after === null) {
    const within = rows.filter(({ createdAt }) => createdAt >= since)
    const older = await staying(page.max - within.length)
    return { rows: [...within, ...older.rows], uncutCount: within.length + older.uncutCount }
  }
  // Upwards: the older ones are the nearest.
  const older = await staying(page.max)
  const max = page.max - older.uncutCount
  const limited = {
    ...filter,
    since: rfc3339(Math.max(since.getTime(), Date.parse(filter.since ?? '') || 0)),
  }
  const within = pageFrom(
    max <= 0 ? [] : await messagePage(db, workspaceId, limited, { ...page, max }),
  )
  return { rows: [...within.rows, ...older.rows], uncutCount: within.uncutCount + older.uncutCount }
}

const pageFrom = (rows: Page['rows']): Page => ({ rows, uncutCount: rows[0]?.uncutCount ?? 0 })
