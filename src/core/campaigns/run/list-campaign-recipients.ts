/**
 * GET /campaigns/{id}/recipients: the frozen list, filtered by outcome, or searched by address or
 * name.
 */
import type { InputOf } from '../../../contract/operations.ts'
import {
  ledgerStatuses,
  recipientEngagementMax,
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
import { recipientEngagement } from '../../../db/tracking/recipient-engagement.ts'
import { isId } from '../../../ground/ids.ts'
import { findCapturedCopies } from '../../presentation/captured-copies.ts'
import type { CallContext } from '../../context.ts'
import { readCursor, writeCursor } from '../../input/cursor.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { shapeError } from '../../input/shape-error.ts'
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
  const { matches: result, next } = await find(ctx, campaign, query)
  const copyOf = await findCapturedCopies(
    ctx,
    result.map(({ email, sentAt }) => ({ mailId: campaign.id, recipient: email, sentAt })),
  )
  const listed = result.map((row) => ({
    ...presentRecipient(row),
    captured: copyOf({ mailId: campaign.id, recipient: row.email }),
  }))
  const data = query.engagement ? await withEngagement(ctx, campaign, listed) : listed
  return { body: { object: 'list', data, has_more: next !== '', next_cursor: next } }
}

function find(
  ctx: CallContext,
  campaign: CampaignRow,
  query: InputOf<'listCampaignRecipients'>['query'],
): Promise<RecipientMatches> {
  const {
    q = '',
    only = null,
    limit = limits.pageDefault,
    cursor = '',
    after,
    subscriberId,
  } = query
  for (const [path, id] of Object.entries({ after, subscriberId }))
    if (id !== undefined && !isId(id)) throw shapeError([{ path, rule: 'cursor' }])
  if (subscriberId !== undefined) return findOne(ctx, campaign, { subscriberId, only })
  const page = { only, limit, cursor, ...(after !== undefined && { after }) }
  return q.trim() === '' ? scan(ctx, campaign, page) : search(ctx, campaign, { ...page, q })
}

async function findOne(
  { db, workspaceId }: CallContext,
  { id }: CampaignRow,
  { subscriberId, only }: { subscriberId: string; only: RecipientWanted | null },
): Promise<RecipientMatches> {
  const rows = await recipientsAmong(db, { workspaceId, campaignId: id }, [subscriberId])
  return { matches: rows.filter((row) => isWanted(row, only)), next: '' }
}

async function withEngagement(
  { db, workspaceId }: CallContext,
  { id }: CampaignRow,
  listed: CampaignRecipient[],
): Promise<CampaignRecipient[]> {
  const subscriberIds = listed.map(({ subscriberId }) => subscriberId)
  const key = { workspaceId, campaignId: id }
  const rows = await recipientEngagement(db, key, { subscriberIds, max: recipientEngagementMax })
  return listed.map((recipient) => {
    const own = rows.filter(({ subscriberId }) => subscriberId === recipient.subscriberId)
    const opens = own.find(({ url }) => url === null)?.count ?? 0
    const clicks = own.flatMap(({ url, count }) => (url === null ? [] : [{ url, clicks: count }]))
    return { ...recipient, engagement: { opens, clicks } }
  })
}

interface Page {
  only: RecipientWanted | null
  limit: number
  cursor: string
  /** The recipient to begin behind. */
  after?: string
}

interface RecipientMatches {
  matches: ListedRecipient[]
  /** The cursor of the next page; empty at the end. */
  next: string
}

async function scan(
  ctx: CallContext,
  campaign: CampaignRow,
  { only, limit, cursor, after: behind }: Page,
): Promise<RecipientMatches> {
  const { id, createdAt } = campaign
  const binding = [ctx.workspaceId, 'recipients', id, only]
  const start = behind ?? readCursor(cursor, binding)?.id ?? beforeAll
  // The counters say how many there are, so the scan stops when it has found all of them.
  const inAll = start === beforeAll ? countOf(campaign, only) : Infinity
  const key = { workspaceId: ctx.workspaceId, campaignId: id }
  const nextSize = paceStretches(
    () => ctx.clock.monotonicMs(),
    areKnownElsewhere(only) ? ofLikely : ofAll,
  )
  const matches: ListedRecipient[] = []
  let after: string | null = start
  while (after !== null && matches.length <= limit && matches.length < inAll) {
    const scanned = nextSize()
    if (scanned === null) break
    const stretch = await findRecipients(ctx.db, key, {
      after,
      scanMax: scanned,
      max: limit + 1 - matches.length,
      filter: only,
    })
    matches.push(...stretch.matches)
    after = stretch.scannedTo
  }
  const positionOf = (subscriberId: string): string =>
    writeCursor({ at: rfc3339(createdAt), id: subscriberId }, binding)
  const last = matches[limit - 1]
  if (matches.length > limit && last !== undefined)
    return { matches: matches.slice(0, limit), next: positionOf(last.subscriberId) }
  return { matches, next: after === null || matches.length >= inAll ? '' : positionOf(after) }
}

/** The total of matches, if a counter has it; else infinity. */
function countOf(
  { progress, cancelled, counted }: CampaignRow,
  only: RecipientWanted | null,
): number {
  if (only === 'failed') return progress.failed - cancelled
  const position = ledgerStatuses.find((status) => status === only)
  if (position) return progress[position]
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
): Promise<RecipientMatches> {
  const endsAtMs = ctx.clock.monotonicMs() + budgetMs
  for (let next = cursor; ;) {
    const contacts = await searchSubscribers(ctx, { q, limit, cursor: next })
    const ids = contacts.data.map((contact) => contact.id)
    const rows = await recipientsAmong(
      ctx.db,
      { workspaceId: ctx.workspaceId, campaignId: id },
      ids,
    )
    const matches = rows.filter((row) => isWanted(row, only))
    next = contacts.next_cursor
    if (matches.length > 0 || next === '' || ctx.clock.monotonicMs() > endsAtMs)
      return { matches, next }
  }
}
