/** GET /campaigns/{id}/recipients: the frozen list, chosen by what became of the mail or by who they are. */
import type { CampaignRecipient, RecipientWanted } from '../../../contract/workspace/campaign-recipients.ts'
import { ledgerPlaces } from '../../../contract/workspace/campaign-recipients.ts'
import { limits } from '../../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import { findRecipients, recipientsAmong } from '../../../db/campaign-recipient-pages.ts'
import type { ListedRecipient } from '../../../db/campaign-recipient-pages.ts'
import type { CampaignRow } from '../../../db/campaigns.ts'
import type { CallContext } from '../../context.ts'
import { readCursor, writeCursor } from '../../cursor.ts'
import { rfc3339 } from '../../emails/read-time.ts'
import { listSubscribers } from '../../subscribers/list-subscribers.ts'
import { findCampaign } from '../find-campaign.ts'
import { showRecipient } from './show-recipient.ts'

/** How long one page looks on for what is rare before it answers what it has. */
const budgetMs = 120
/** Rows that the first statement of a page looks at, and the most that a later one does. */
const lookedFirst = 2_000
const lookedMost = 32_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

export async function listCampaignRecipients(
  ctx: CallContext,
  { params, query }: InputOf<'listCampaignRecipients'>,
): Promise<AnswerOf<'listCampaignRecipients'>> {
  const campaign = await findCampaign(ctx, ctx.workspaceId, params.id)
  const { q = '', only = null, limit = limits.pageDefault, cursor = '' } = query
  const page = { only, limit, cursor }
  const { found, next } = q.trim() === '' ? await walk(ctx, campaign, page) : await search(ctx, campaign, { ...page, q })
  const data: CampaignRecipient[] = found.map(showRecipient)
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

async function walk(ctx: CallContext, { id, createdAt, progress }: CampaignRow, { only, limit, cursor }: Page): Promise<Found> {
  const binding = [ctx.workspaceId, 'recipients', id, only]
  const start = readCursor(cursor, binding)?.id ?? beforeAll
  const counted = ledgerPlaces.find((place) => place === only)
  // Of what the ledger counts it is known when all were found.
  const inAll = counted === undefined || start !== beforeAll ? Infinity : progress[counted]
  const key = { workspaceId: ctx.workspaceId, campaignId: id }
  const endsAtMs = ctx.clock.monotonicMs() + budgetMs
  const ids: string[] = []
  let after: string | null = start
  for (
    let looked = lookedFirst;
    after !== null && ids.length <= limit && ids.length < inAll;
    looked = Math.min(looked * 4, lookedMost)
  ) {
    if (ctx.clock.monotonicMs() > endsAtMs) break
    const stretch = await findRecipients(ctx.db, key, { after, looked, most: limit + 1 - ids.length, wanted: only })
    ids.push(...stretch.ids)
    after = stretch.lookedTo
  }
  const found = await recipientsAmong(ctx.db, key, ids.slice(0, limit))
  const place = (subscriberId: string): string => writeCursor({ at: rfc3339(createdAt), id: subscriberId }, binding)
  const last = ids[limit - 1]
  if (ids.length > limit && last !== undefined) return { found, next: place(last) }
  return { found, next: after === null || ids.length >= inAll ? '' : place(after) }
}

/** Through the people of the workspace, whom an index finds: the frozen list has none by address. The cursor is that of their list. */
async function search(ctx: CallContext, { id }: CampaignRow, { q, only, limit, cursor }: Page & { q: string }): Promise<Found> {
  const endsAtMs = ctx.clock.monotonicMs() + budgetMs
  for (let next = cursor; ;) {
    const people = await listSubscribers(ctx, {
      params: {},
      query: { q, limit, cursor: next },
      headers: {},
      body: undefined,
      file: undefined,
    })
    const ids = people.body.data.map((person) => person.id)
    const rows = await recipientsAmong(ctx.db, { workspaceId: ctx.workspaceId, campaignId: id }, ids)
    const found = rows.filter((row) => isWanted(row, only))
    next = people.body.next_cursor
    if (found.length > 0 || next === '' || ctx.clock.monotonicMs() > endsAtMs) return { found, next }
  }
}

/** As the statement of a stretch says it. */
function isWanted(row: ListedRecipient, only: RecipientWanted | null): boolean {
  switch (only) {
    case null:
      return true
    case 'opened':
      return row.openedAt !== null
    case 'clicked':
      return row.clickedAt !== null
    case 'unsubscribed':
      return row.unsubscribedAt !== null
    case 'delivered':
      return row.status === 'delivered' || row.status === 'complained'
    case 'bounced':
    case 'complained':
      return row.status === only
    default:
      return row.place === only
  }
}
