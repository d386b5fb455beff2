/**
 * GET /messages: single e-mails and campaigns' mails in one list, newest first, by recipient,
 * subject, tag, status and time.
 */
import { limits } from '../../contract/limits.ts'
import type { MessageLine, MessageQuery } from '../../contract/workspace/messages.ts'
import { campaignMails, type CampaignMailPosition } from '../../db/campaigns/campaign-mails.ts'
import type { LogPage, LogPosition } from '../../db/messages/message-log.ts'
import { messageBytes, messagesById } from '../../db/messages/messages.ts'
import type { CallContext } from '../context.ts'
import { readCursor, writeCursor } from '../input/cursor.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'
import { findCampaignMails } from './find-campaign-mails.ts'
import { findSingles } from './find-singles.ts'
import type { FoundInLog, LogFilter } from './log-filter.ts'
import { readMessageNeedle } from '../message-index/message-text.ts'
import { presentCampaignLine, presentSingleLine } from './present-line.ts'
import type { Verb } from '../verb.ts'

/** A line's position in the whole log; only campaign mails have a `subscriberId`. */
interface LinePosition extends LogPosition {
  subscriberId: string | null
}

export const listMessages: Verb<'listMessages'> = async (ctx, { query }) => {
  const filter = readFilter(ctx, query)
  const since = query.since === undefined ? null : rfc3339(readTime(query.since, 'since'))
  const until = query.until === undefined ? null : rfc3339(readTime(query.until, 'until'))
  const status = query.status ?? null
  const binding = [ctx.workspaceId, 'messages', filter.kind, filter.ask, status, since, until]
  const cursor = readCursor(query.cursor, binding)
  const before: LinePosition | null = cursor && {
    at: cursor.at,
    id: cursor.id,
    subscriberId: cursor.part ?? null,
  }
  const limit = query.limit ?? limits.pageDefault
  const page = { since, until, status, max: limit + 1 }
  const { lines, isWhole, next } = mergeFound(await findBoth(ctx, filter, page, before), limit)
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

function readFilter(ctx: CallContext, query: MessageQuery): LogFilter {
  const ask = {
    recipient: query.recipient || null,
    subject: query.subject || null,
    tag: query.tag || null,
  }
  return { kind: query.kind ?? null, ask, needle: readMessageNeedle(ctx.workspaceId, ask) }
}

async function findBoth(
  ctx: CallContext,
  filter: LogFilter,
  page: Omit<LogPage, 'before'> & { until: string | null },
  before: LinePosition | null,
): Promise<FoundInLog<LinePosition>[]> {
  const none = { places: [], reached: null }
  const [singles, campaigns] = await Promise.all([
    filter.kind === 'campaign'
      ? none
      : findSingles(ctx, {
          workspaceId: ctx.workspaceId,
          filter,
          page: { ...page, before: singleBefore(before, page.until) },
        }),
    filter.kind === 'single'
      ? none
      : findCampaignMails(ctx, {
          workspaceId: ctx.workspaceId,
          ...filter,
          page: { ...page, before },
        }),
  ])
  return [asLines(singles), asLines(campaigns)]
}

/**
 * After a campaign's mail come the messages of the same moment with an identifier smaller than the
 * campaign's.
 */
function singleBefore(before: LinePosition | null, until: string | null): LogPosition | null {
  const location = before && { at: before.at, id: before.id }
  // In microseconds, like positions.
  const end =
    until === null
      ? null
      : { at: until.replace('Z', '000Z'), id: '00000000-0000-0000-0000-000000000000' }
  return location === null || (end !== null && end.at <= location.at) ? (end ?? location) : location
}

const asLines = (
  result: FoundInLog<LogPosition | CampaignMailPosition>,
): FoundInLog<LinePosition> => ({
  places: result.places.map(asLine),
  reached: result.reached && asLine(result.reached),
})

const asLine = (location: LogPosition | CampaignMailPosition): LinePosition => ({
  ...{ at: location.at, id: location.id },
  subscriberId: 'subscriberId' in location ? location.subscriberId : null,
})

/** Negative if `a` is newer. */
const order = (a: LinePosition, b: LinePosition): number =>
  compare(b.at, a.at) || compare(b.id, a.id) || compare(b.subscriberId ?? '', a.subscriberId ?? '')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Merges both kinds into one page. If the search in one of them stopped early, nothing older than
 * its position may be shown yet.
 */
function mergeFound(
  result: FoundInLog<LinePosition>[],
  limit: number,
): { lines: LinePosition[]; isWhole: boolean; next: LinePosition | null } {
  const reached =
    result.flatMap((log) => (log.reached ? [log.reached] : [])).toSorted(order)[0] ?? null
  const all = result.flatMap(({ places }) => places).toSorted(order)
  const sure = reached ? all.filter((position) => order(position, reached) <= 0) : all
  const lines = sure.slice(0, limit)
  if (sure.length > limit) return { lines, isWhole: false, next: lines.at(-1) ?? null }
  return { lines, isWhole: reached === null, next: reached }
}

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
