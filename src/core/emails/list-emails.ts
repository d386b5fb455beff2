/**
 * GET /emails: messages newest first, with filters; also paged by the `after` and `before` ids of
 * the `resend` SDK.
 */
import { parseMailbox } from '../../ground/address.ts'
import type { EmailQuery } from '../../contract/emails.ts'
import type { MessageFilter } from '../../db/messages/message-filter.ts'
import { messagesById, type MessageRow } from '../../db/messages/messages.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import {
  askedPage,
  byCreation,
  fitting,
  pageOf,
  writeCursor,
  type CursorPosition,
} from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'
import { readMessageNeedle } from '../message-index/message-text.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'
import { expiredAt, finishedAt, limitOf } from '../presentation/expiry.ts'
import { presentEmail } from '../presentation/present-email.ts'
import { storedPage } from './stored-page.ts'
import type { Verb } from '../verb.ts'

export const listEmails: Verb<'listEmails'> = async (ctx, { query }) => {
  const filter = { ...readFilter(query), tagGrams: readTagGrams(ctx.workspaceId, query) }
  const { tagGrams: _, ...bound } = filter
  const requested = askedPage(query, [ctx.workspaceId, 'emails', bound])
  const { limit, max, binding } = requested
  const before = requested.before ?? (await placeOf(ctx, query.after, 'after'))
  const after = await placeOf(ctx, query.before, 'before')
  const { rows, uncutCount: result } = await storedPage(ctx, {
    filter,
    page: { max, before, after },
  })
  const show = (row: MessageRow) => presentEmail(row, ctx.settings)
  if (!after)
    return { body: pageOf(rows, { ...requested, position: byCreation, show, uncutCount: result }) }
  // When read upwards, the extra row is the newest one; the rows nearest to the given id stay.
  const nearest = rows.slice(-limit)
  const shown = nearest.map(show)
  const cut = nearest.length - fitting(shown.toReversed())
  const page = nearest.slice(cut)
  // The entry of the request's cursor is older than this page, so the next cursor leads back down
  // to it.
  const last = page.at(-1)
  const hasMore = result > page.length
  return {
    body: {
      object: 'list',
      data: shown.slice(cut),
      has_more: hasMore,
      next_cursor: last ? writeCursor(byCreation(last), binding) : '',
    },
  }
}

async function placeOf(
  ctx: CallContext,
  id: string | undefined,
  path: string,
): Promise<CursorPosition | null> {
  if (id === undefined) return null
  const [[row], limit] = await Promise.all([
    isId(id) ? messagesById(ctx.db, ctx.workspaceId, [id]) : [],
    limitOf(ctx, 'messages'),
  ])
  const finished = row && finishedAt(row)
  if (!row || (finished && expiredAt(limit, finished)))
    throw shapeError([{ path, rule: 'known_id' }])
  return byCreation(row)
}

function readFilter(query: EmailQuery): Omit<MessageFilter, 'tagGrams'> {
  const [, tagName, tagValue] = /^([^:]*)(?::(.*))?$/s.exec(query.tag ?? '') ?? []
  return {
    status: query.status ?? null,
    recipient: query.recipient === undefined ? null : readAddress(query.recipient),
    tagName: query.tag === undefined ? null : (tagName ?? null),
    tagValue: query.tag === undefined ? null : (tagValue ?? null),
    since: query.since === undefined ? null : rfc3339(readTime(query.since, 'since')),
    until: query.until === undefined ? null : rfc3339(readTime(query.until, 'until')),
  }
}

const readTagGrams = (workspaceId: number, { tag = null }: { tag?: string | null }): number[] =>
  readMessageNeedle(workspaceId, { recipient: null, subject: null, tag })?.grams ?? []

function readAddress(text: string): string {
  const read = parseMailbox(text)
  if ('rule' in read)
    throw shapeError([{ ...read, path: 'recipient', rule: `address.${read.rule}` }])
  return read.key
}
