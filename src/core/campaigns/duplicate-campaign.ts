/** Copies any campaign to a new draft: content, sender and tracking, without its results. */
import { campaignSource, insertCampaign } from '../../db/campaigns/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../db/connection/connect.ts'
import { copyTyped } from '../../db/campaigns/drafts.ts'
import type { Context } from '../context.ts'
import { withinLimit } from '../input/within-limit.ts'
import { findCampaign } from './find-campaign.ts'

/** `name` null: the same name. Throws `not_found`, and `validation_error` when the workspace has too many drafts. */
export const duplicateCampaign = (
  ctx: Pick<Context, 'db' | 'makeId'>,
  workspaceId: number,
  copy: { id: string; name: string | null },
): Promise<CampaignRow> => ctx.db.transaction((tx) => copyCampaign({ ...ctx, db: tx }, workspaceId, copy))

/** Copies in the caller's transaction. An unfinished draft is copied as it is typed. */
export async function copyCampaign(
  ctx: Pick<Context, 'makeId'> & { db: Database },
  workspaceId: number,
  { id, name }: { id: string; name: string | null },
): Promise<CampaignRow> {
  const original = await findCampaign(ctx, workspaceId, id)
  const found = await campaignSource(ctx.db, workspaceId, id)
  const copy = { ...original, id: ctx.makeId(), name: name ?? original.name, source: found?.source }
  await withinLimit(ctx.db, workspaceId, 'drafts', () => insertCampaign(ctx.db, workspaceId, copy))
  await copyTyped(ctx.db, workspaceId, { from: id, to: copy.id, name: copy.name })
  return findCampaign(ctx, workspaceId, copy.id)
}
