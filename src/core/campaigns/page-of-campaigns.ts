/**
 * Reads a page of campaigns, newest first: those that a statement names, as one of two lists
 * presents them.
 */
import { campaignsById, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { CallContext } from '../context.ts'
import { askedPage, byCreation, pageOf } from '../input/cursor.ts'

export async function pageOfCampaigns<Shown>(
  { db, workspaceId }: CallContext,
  {
    query,
    list,
  }: {
    query: Parameters<typeof askedPage>[0]
    list: {
      binding: unknown
      idsOf: (page: { max: number; before: string | null }) => Promise<string[]>
      show: (row: CampaignRow) => Shown
    }
  },
) {
  const page = askedPage(query, list.binding)
  const ids = await list.idsOf({ max: page.max, before: page.before?.id ?? null })
  return pageOf(await campaignsById(db, workspaceId, ids), {
    ...page,
    place: byCreation,
    show: list.show,
  })
}
