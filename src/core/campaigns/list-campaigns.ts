/**
 * GET /campaigns: newest first, all of them or those of one status. Users also search and sort
 * them, read what is typed and noted, and find archived ones only by that status.
 */
import type { CampaignSort } from '../../contract/workspace/drafts.ts'
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import type { Database } from '../../database/client/database.ts'
import { indexedPage } from '../../db/audience/segments/audience-pages.ts'
import {
  campaignPosition,
  listedCampaigns,
  type CampaignPosition,
} from '../../db/campaigns/campaign-list.ts'
import { campaignIds, campaignsById, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { MergeValues } from '../../mail/merge/merge-tags.ts'
import { askedPage, byCreation, pageOf, readAfter, type CursorPosition } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'
import { presentCampaign, presentFoundCampaign } from '../presentation/present-campaign.ts'
import { isByKey } from '../context.ts'
import type { Verb } from '../verb.ts'
import { readCampaignFilter } from './read-campaign-filter.ts'

export const listCampaigns: Verb<'listCampaigns'> = async (ctx, { query }) => {
  const { db, workspaceId, user, language } = ctx
  const { status = null, sort = '-created' } = query
  const filter = readCampaignFilter(query)
  const narrowing = user ? [filter.text, filter.since, filter.until, sort] : []
  const page = askedPage(query, [workspaceId, 'campaigns', status, ...narrowing])
  const after = readAfter(query.after)
  if (isByKey(ctx)) {
    const before = page.before?.id ?? after
    const ids = await campaignIds(db, workspaceId, { status, max: page.max, before })
    const rows = await campaignsById(db, workspaceId, ids)
    const show = (row: CampaignRow) => presentCampaign(row, language)
    return { body: pageOf(rows, { ...page, position: byCreation, show }) }
  }
  const { rows, reader } = await db.transaction(async (tx) => {
    await readOneMoment(tx)
    const position = await positionOf(tx, workspaceId, { sort, before: page.before, after })
    const listed = { ...filter, status, sort, position, max: page.max }
    const positions = await listedCampaigns(tx, workspaceId, listed)
    const matches = await campaignsById(
      tx,
      workspaceId,
      positions.map(({ id }) => id),
    )
    const byId = new Map(matches.map((row) => [row.id, row]))
    return {
      rows: positions.flatMap(({ id, date }) => {
        const row = byId.get(id)
        return row === undefined ? [] : [{ row, date }]
      }),
      reader: matches.length === 0 ? null : await exampleReader(tx, workspaceId),
    }
  })
  return {
    body: pageOf(rows, {
      ...page,
      position: ({ row: { id }, date: at }) => ({ at, id }),
      show: ({ row }) => presentFoundCampaign(row, language, reader),
    }),
  }
}

/**
 * A cursor has the date, which may change meanwhile. By name, throws `validation_error` where the
 * campaign behind which the page begins was deleted: its name is known no more.
 */
async function positionOf(
  tx: Database,
  workspaceId: number,
  {
    sort,
    before,
    after,
  }: { sort: CampaignSort; before: CursorPosition | null; after: string | null },
): Promise<CampaignPosition | null> {
  const id = before?.id ?? after
  if (id === null) return null
  if (sort === '-created') return { id, date: '', name: '' }
  if (before !== null && sort.endsWith('date')) return { id, date: before.at, name: '' }
  const position = await campaignPosition(tx, workspaceId, id)
  if (position !== null) return position
  throw shapeError([
    before ? { path: 'cursor', rule: 'cursor' } : { path: 'after', rule: 'known_id' },
  ])
}

/** The first subscribed contact, so that the same one is shown each time. */
async function exampleReader(tx: Database, workspaceId: number): Promise<MergeValues | null> {
  const first = { status: 'subscribed', sort: 'created', position: null, max: 1 } as const
  const [contact = null] = await indexedPage(tx, workspaceId, first)
  return contact
}
