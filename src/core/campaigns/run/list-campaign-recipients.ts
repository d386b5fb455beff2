/**
 * GET /campaigns/{id}/recipients: the frozen list, filtered by outcome, or searched by address or
 * name.
 */
import {
  ledgerStatuses,
  type CampaignRecipient,
  type RecipientWanted,
} from '../../../contract/workspace/campaign-recipients.ts'
import { limits } from '../../../contract/limits.ts'
import {
  areKnownElsewhere,
  findRecipients,
  isWanted,
  recipientsAmong,
  type ListedRecipient,
} from '../../../db/campaigns/campaign-recipient-pages.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CallContext } from '../../context.ts'
import { readCursor, writeCursor } from '../../input/cursor.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { searchSubscribers } from '../../audience/subscribers/search-subscribers.ts'
import { refuseExpiredRead } from '../expired-details.ts'
import { findCampaign } from '../find-campaign.ts'
import { presentRecipient } from './present-recipient.ts'
import { paceStretches } from './stretch-pace.ts'
import type { Verb } from '../../verb.ts'

/** How long a search continues before it returns what it has, in milliseconds. */
const budgetMs = 100
/**
 * Rows per statement: for scans of the whole list, and for likely recipients that are looked up one
 * by one.
 */
const ofAll = { first: 2_000, max: 32_000 }
const ofLikely = { first: 200, max: 4_000 }
const beforeAll = '00000000-0000-0000-0000-000000000000'

export const listCampaignRecipients: Verb<'listCampaignRecipients'> = async (
  ctx,
  { params, query },
) => {
  const campaign = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  await refuseExpiredRead(ctx, campaign)
  const { q = '', only = null, limit = limits.pageDefault, cursor = '' } = query
  const page = { only, limit, cursor }
  const { found, next } =
    q.trim() === '' ? await scan(ctx, campaign, page) : await search(ctx, campaign, { ...page, q })
  const data: CampaignRecipient[] = found.map(presentRecipient)
  return { body: { object: 'list', data, has_more: next !== '', next_cursor: next } }
}

interface Page {
  only: RecipientWanted | null
  limit: number
  cursor: string
}

interface Found {
  found: ListedRecipient[]
  /** The cursor of the next page; empty at the end. */
  next: string
}

async function scan(
  ctx: CallContext,
  campaign: CampaignRow,
  { only, limit, cursor }: Page,
): Promise<Found> {
  const { id, createdAt } = campaign
  const binding = [ctx.workspaceId, 'recipients', id, only]
  const start = readCursor(cursor, binding)?.id ?? beforeAll
  // The counters say how many there are, so the scan stops when it has found all of them.
  const inAll = start === beforeAll ? countOf(campaign, only) : Infinity
  const key = { workspaceId: ctx.workspaceId, campaignId: id }
  const nextSize = paceStretches(
    () => ctx.clock.monotonicMs(),
    areKnownElsewhere(only) ? ofLikely : ofAll,
  )
  const found: ListedRecipient[] = []
  let after: string | null = start
  while (after !== null && found.length <= limit && found.length < inAll) {
    const looked = nextSize()
    if (looked === null) break
    const stretch = await findRecipients(ctx.db, key, {
      after,
      looked,
      max: limit + 1 - found.length,
      wanted: only,
    })
    found.push(...stretch.found)
    after = stretch.lookedTo
  }
  const place = (subscriberId: string): string =>
    writeCursor({ at: rfc3339(createdAt), id: subscriberId }, binding)
  const last = found[limit - 1]
  if (found.length > limit && last !== undefined)
    return { found: found.slice(0, limit), next: place(last.subscriberId) }
  return { found, next: after === null || found.length >= inAll ? '' : place(after) }
}

/** The total of matches, if a counter has it; else infinity. */
function countOf(
  { progress, cancelled, counted }: CampaignRow,
  only: RecipientWanted | null,
): number {
  if (only === 'failed') return progress.failed - cancelled
  const place = ledgerStatuses.find((one) => one === only)
  if (place) return progress[place]
  return only === 'delivered' ? (counted.delivered ?? 0) : Infinity
}

/**
 * Searches the workspace's subscribers by index, since the frozen list has none by address. The
 * cursor is that of the subscribers.
 */
async function search(
  ctx: CallContext,
  { id }: CampaignRow,
  { q, only, limit, cursor }: Page & { q: string },
): Promise<Found> {
  const endsAtMs = ctx.clock.monotonicMs() + budgetMs
  for (let next = cursor; ;) {
    const contacts = await searchSubscribers(ctx, { q, limit, cursor: next })
    const ids = contacts.data.map((contact) => contact.id)
    const rows = await recipientsAmong(
      ctx.db,
      { workspaceId: ctx.workspaceId, campaignId: id },
      ids,
    )
    const found = rows.filter((row) => isWanted(row, only))
    next = contacts.next_cursor
    if (found.length > 0 || next === '' || ctx.clock.monotonicMs() > endsAtMs)
      return { found, next }
  }
}
