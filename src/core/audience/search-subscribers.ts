/** Finds a page of subscribers, newest first, by status and by a part of the address or of a name. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import {
  countSample,
  searchIndexed,
  searchNewest,
  subscriberPage,
  subscribersOf,
  unsearchedPage,
} from '../../db/subscribers/subscriber-search.ts'
import type { FoundSubscriber, SubscriberPage } from '../../db/subscribers/subscriber-search.ts'
import type { SubscriberRow } from '../../db/subscribers/subscribers.ts'
import type { CallContext } from '../context.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { haystackOf, matches, readNeedle } from '../search-text.ts'
import type { Needle } from '../search-text.ts'
import { presentSubscriber } from '../presentation/present-subscriber.ts'

export async function searchSubscribers(
  ctx: CallContext,
  query: InputOf<'listSubscribers'>['query'],
): Promise<AnswerOf<'listSubscribers'>['body']> {
  const limit = query.limit ?? limits.pageDefault
  const status = query.status ?? null
  const needle = readNeedle(ctx.workspaceId, query.q)
  const binding = [ctx.workspaceId, 'subscribers', status, needle?.patterns ?? null]
  const page = { status, most: limit + 1, before: readCursor(query.cursor, binding)?.id ?? null }
  const rows = needle ? await search(ctx, needle, page) : await subscriberPage(ctx.db, ctx.workspaceId, page)
  const place = (row: SubscriberRow) => ({ at: row.createdAt.toISOString(), id: row.id })
  return pageOf(rows, { limit, binding, place, show: presentSubscriber, found: rows[0]?.found })
}

/** The newest subscribers that are examined first: a text of one in forty fills a page from them. */
const windowSize = 2_000

/**
 * From this many matches in the sample on, a text counts as common. Among over two thousand matches, a scan finds the
 * first fifty sooner than reading all index entries does.
 */
const commonMin = 16

/**
 * Subscribers without an index entry that a search examines directly. If there are more, an import added them, and the index has
 * them soon.
 */
const unsearchedMost = 200

/**
 * Finds recent subscribers too. Unindexed ones are read first: a subscriber indexed meanwhile is found twice instead of never.
 */
async function search(ctx: CallContext, needle: Needle, page: SubscriberPage): ReturnType<typeof subscribersOf> {
  const fresh = await unsearchedPage(ctx.db, ctx.workspaceId, { ...page, most: unsearchedMost })
  const indexed = await searchIndex(ctx, needle, page)
  const found = fresh.filter((row) => matches(needle, haystackOf(row)))
  const ids = [...new Set([...indexed, ...found].map(({ id }) => id))].toSorted().toReversed()
  return subscribersOf(ctx.db, ctx.workspaceId, ids.slice(0, page.most))
}

/**
 * 1. examine the newest
 * 2. if they were not enough: scan all others when the text is common, else read all index entries
 */
async function searchIndex(ctx: CallContext, needle: Needle, page: SubscriberPage): Promise<FoundSubscriber[]> {
  const { db, workspaceId } = ctx
  const near = await searchNewest(db, workspaceId, needle, { ...page, window: windowSize })
  if (near.length === page.most) return near
  const isCommon = (await countSample(db, workspaceId, needle, commonMin)) === commonMin
  if (isCommon) return searchNewest(db, workspaceId, needle, { ...page, window: null })
  return searchIndexed(db, workspaceId, needle, page)
}
