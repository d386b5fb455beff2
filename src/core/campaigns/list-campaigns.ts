/**
 * GET /campaigns: newest first, all of them or those of one status. Users also search them, read
 * what is typed and noted, and find archived ones only by that status.
 */
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import type { Database } from '../../database/client/database.ts'
import { indexedPage } from '../../db/audience/segments/audience-pages.ts'
import { campaignIds, campaignsById, searchCampaignIds } from '../../db/campaigns/campaigns.ts'
import type { MergeValues } from '../../mail/merge/merge-tags.ts'
import { askedPage, byCreation, pageOf, readAfter } from '../input/cursor.ts'
import { presentCampaign, presentFoundCampaign } from '../presentation/present-campaign.ts'
import { isByKey } from '../context.ts'
import type { Verb } from '../verb.ts'

export const listCampaigns: Verb<'listCampaigns'> = async (ctx, { query }) => {
  const { db, workspaceId, user, language } = ctx
  const { status = null, q = '' } = query
  const page = askedPage(query, [workspaceId, 'campaigns', status, ...(user ? [q] : [])])
  const position = byCreation
  const filter = { status, max: page.max, before: page.before?.id ?? readAfter(query.after) }
  if (isByKey(ctx)) {
    const ids = await campaignIds(db, workspaceId, filter)
    const rows = await campaignsById(db, workspaceId, ids)
    return {
      body: pageOf(rows, { ...page, position, show: (row) => presentCampaign(row, language) }),
    }
  }
  const { rows, reader } = await db.transaction(async (tx) => {
    await readOneMoment(tx)
    const ids = await searchCampaignIds(tx, workspaceId, { ...filter, text: q.trim() })
    const matches = await campaignsById(tx, workspaceId, ids)
    return {
      rows: matches,
      reader: matches.length === 0 ? null : await exampleReader(tx, workspaceId),
    }
  })
  const show = (row: (typeof rows)[number]) => presentFoundCampaign(row, language, reader)
  return { body: pageOf(rows, { ...page, position, show }) }
}

/** The first subscribed contact, so that the same one is shown each time. */
async function exampleReader(tx: Database, workspaceId: number): Promise<MergeValues | null> {
  const first = { status: 'subscribed', sort: 'created', position: null, max: 1 } as const
  const [contact = null] = await indexedPage(tx, workspaceId, first)
  return contact
}
