/**
 * GET /audience/contacts: a page of the contacts that a status, a text, a segment and a definition
 * select together, in an order, with when each opened last.
 */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { lastOpened } from '../../../db/audience/engagement-dates.ts'
import {
  indexedPage,
  soughtPage,
  type PagePosition,
} from '../../../db/audience/segments/audience-pages.ts'
import { subscriberById, type SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { CallContext } from '../../context.ts'
import { askedPage, pageOf } from '../../input/cursor.ts'
import { shapeError } from '../../input/shape-error.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import type { Verb } from '../../verb.ts'
import { searchSubscribers } from '../subscribers/search-subscribers.ts'
import { definitionOf, seek } from './seek.ts'

type Query = InputOf<'listFilteredContacts'>['query']
type Listed = AnswerOf<'listSubscribers'>['body']

const { countSecondsMax: seconds } = segmentLimits

export const listFilteredContacts: Verb<'listFilteredContacts'> = async (ctx, { query }) => {
  const page = await findListed(ctx, query)
  const ids = page.data.map(({ id }) => id)
  // Indexes have the dates of a page, so that it waits for no count of a segment.
  const opened = await lastOpened(ctx.db, ctx.workspaceId, ids)
  const shown = page.data.map((contact) => ({
    ...contact,
    last_opened_at: opened.get(contact.id)?.toISOString() ?? null,
  }))
  return { body: { ...page, data: shown } }
}

/** The newest of a status or with a text have an index that searches them; so have other orders. */
function findListed(ctx: CallContext, query: Query): Promise<Listed> {
  const { sort = '-created', segment, definition = '', status, q } = query
  if (segment !== undefined || definition !== '') return pageBy(ctx, { query, isSought: true })
  if (sort === '-created') return searchSubscribers(ctx, query)
  const isIndexed = (q ?? '') === '' && (sort === 'created' || status === undefined)
  return pageBy(ctx, { query, isSought: !isIndexed })
}

/** A cursor holds the instant of the first page: days are counted back from it. */
async function pageBy(
  ctx: CallContext,
  { query, isSought }: { query: Query; isSought: boolean },
): Promise<Listed> {
  const { sort = '-created', status = null } = query
  const written = await definitionOf(ctx, query)
  const page = askedPage(query, [ctx.workspaceId, 'audience', [written, query.q ?? '', sort]])
  const position = await positionOf(ctx, sort, page.before?.id ?? null)
  const request = { sort, position, max: page.max }
  const listed = (rows: SubscriberRow[], at: Date): Listed =>
    pageOf(rows, {
      ...page,
      position: ({ id }) => ({ at: at.toISOString(), id }),
      show: presentSubscriber,
    })
  const at = page.before === null ? undefined : new Date(page.before.at)
  if (!isSought) {
    const rows = await indexedPage(ctx.db, ctx.workspaceId, { ...request, status })
    return listed(rows, at ?? ctx.clock.now())
  }
  return seek(ctx, {
    ...{ written, q: query.q, at, seconds },
    read: async (tx, sought) =>
      listed(
        await soughtPage(tx, sought, { ...request, timeoutMs: seconds * 1_000 }),
        sought.selection.context.at,
      ),
  })
}

/**
 * By address, throws `validation_error` where the contact behind which the page begins was erased:
 * its address is known no more.
 */
async function positionOf(
  ctx: CallContext,
  sort: NonNullable<Query['sort']>,
  id: string | null,
): Promise<PagePosition> {
  if (id === null) return null
  if (sort === 'created' || sort === '-created') return { id, email: '' }
  const contact = await subscriberById(ctx.db, ctx.workspaceId, id)
  if (contact === null) throw shapeError([{ path: 'cursor', rule: 'cursor' }])
  return { id, email: contact.email }
}
