/**
 * GET /messages: single e-mails and campaigns' mails in one list, newest first, by recipient,
 * subject, tag, status and time, or the one that has an identifier.
 */
import { limits } from '../../contract/limits.ts'
import type { MessageLine } from '../../contract/workspace/messages.ts'
import { campaignMails } from '../../db/campaigns/campaign-mails.ts'
import { messageBytes, messagesById } from '../../db/messages/messages.ts'
import type { CallContext } from '../context.ts'
import { readCursor, writeCursor } from '../input/cursor.ts'
import { lineById } from './line-by-id.ts'
import { presentCampaignLine, presentSingleLine } from './present-line.ts'
import { readSearch, searchLog, type LinePosition } from './search-log.ts'
import type { Verb } from '../verb.ts'

export const listMessages: Verb<'listMessages'> = async (ctx, { query }) => {
  const search = readSearch(ctx.workspaceId, query)
  const { since, until } = search
  const byId = await lineById(ctx, query)
  if (byId !== undefined)
    return { body: { object: 'list', data: byId, has_more: false, next_cursor: '' } }
  const status = query.status ?? null
  const asks = search.filters.map((filter) => filter.ask)
  const kind = query.kind ?? null
  // A page of one search keeps the cursors of the version before.
  const ask = asks.length === 1 ? asks[0] : asks
  const binding = [ctx.workspaceId, 'messages', kind, ask, status, since, until]
  const cursor = readCursor(query.cursor, binding)
  const before: LinePosition | null = cursor && {
    at: cursor.at,
    id: cursor.id,
    subscriberId: cursor.part ?? null,
  }
  const limit = query.limit ?? limits.pageDefault
  const { lines, isWhole, next } = await searchLog(ctx, { search, status, before, limit })
  const fitting = await fittingLines(ctx, lines)
  const isCut = fitting.length < lines.length
  const from = isCut ? (fitting.at(-1) ?? null) : next
  return {
    body: {
      object: 'list',
      data: await showLines(ctx, fitting),
      has_more: isCut || !isWhole,
      next_cursor: from === null ? '' : writeCursor(asCursor(from), binding),
    },
  }
}

/**
 * Returns the first lines whose bytes fit a page, at least one. Campaign mails add almost no bytes
 * of their own.
 */
async function fittingLines(ctx: CallContext, lines: LinePosition[]): Promise<LinePosition[]> {
  const singleIds = lines.flatMap(({ id, subscriberId }) => (subscriberId === null ? [id] : []))
  const sizes = singleIds.length === 0 ? [] : await messageBytes(ctx.db, ctx.workspaceId, singleIds)
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]))
  let bytes = 0
  const end = lines.findIndex(({ id }, index) => {
    bytes += bytesOf.get(id) ?? 0
    return bytes > limits.pageBytesMax && index > 0
  })
  return end === -1 ? lines : lines.slice(0, end)
}

const asCursor = ({ at, id, subscriberId }: LinePosition) => ({
  at,
  id,
  ...(subscriberId !== null && { part: subscriberId }),
})

async function showLines(ctx: CallContext, lines: LinePosition[]): Promise<MessageLine[]> {
  const singleIds = lines.flatMap(({ id, subscriberId }) => (subscriberId === null ? [id] : []))
  const mails = lines.flatMap(({ id, subscriberId }) =>
    subscriberId === null ? [] : [{ campaignId: id, subscriberId }],
  )
  const [singles, fromCampaigns] = await Promise.all([
    singleIds.length === 0 ? [] : messagesById(ctx.db, ctx.workspaceId, singleIds),
    mails.length === 0 ? [] : campaignMails(ctx.db, ctx.workspaceId, mails),
  ])
  const shown = new Map(
    [
      ...singles.map((row) => presentSingleLine(ctx, row)),
      ...fromCampaigns.map(presentCampaignLine),
    ].map((line) => [line.id, line]),
  )
  return lines.flatMap(
    ({ id, subscriberId }) => shown.get(subscriberId === null ? id : `${id}.${subscriberId}`) ?? [],
  )
}
