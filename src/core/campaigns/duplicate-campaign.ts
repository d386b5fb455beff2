/** Makes a new draft of any campaign: what was written, from whom, and what is followed; nothing of what came of it. */
import { campaignSource, insertCampaign } from '../../db/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns.ts'
import type { Context } from '../context.ts'
import { findCampaign } from './find-campaign.ts'

/** `name` null: the same. Throws `not_found`. */
export async function duplicateCampaign(
  ctx: Pick<Context, 'db' | 'makeId'>,
  workspaceId: number,
  { id, name }: { id: string; name: string | null },
): Promise<CampaignRow> {
  const original = await findCampaign(ctx, workspaceId, id)
  const found = await campaignSource(ctx.db, workspaceId, id)
  const copy = { ...original, id: ctx.makeId(), name: name ?? original.name, source: found?.source }
  await insertCampaign(ctx.db, workspaceId, copy)
  return findCampaign(ctx, workspaceId, copy.id)
}
