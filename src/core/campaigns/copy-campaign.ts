/** Copies any campaign to a new draft: content, sender and tracking, without its results. */
import { campaignSource, insertCampaign } from '../../db/campaigns/campaigns.ts'
import { copyTyped } from '../../db/campaigns/drafts.ts'
import type { Database } from '../../db/connection/database.ts'
import type { Context } from '../context.ts'
import { withinLimit } from '../input/within-limit.ts'
import { findCampaign } from './find-campaign.ts'

/**
 * Copies in the caller's transaction, an unfinished draft as it is typed. `name` null: the same
 * name. Returns the copy's identifier. Throws `not_found`, and `validation_error` when the
 * workspace has too many drafts.
 */
export async function copyCampaign(
  ctx: Pick<Context, 'makeId'> & { db: Database },
  { workspaceId, id, name }: { workspaceId: number; id: string; name: string | null },
): Promise<string> {
  const original = await findCampaign(ctx, { workspaceId, id })
  const found = await campaignSource(ctx.db, workspaceId, id)
  const copy = { ...original, id: ctx.makeId(), name: name ?? original.name, source: found?.source }
  await withinLimit(ctx.db, workspaceId, 'drafts', () => insertCampaign(ctx.db, workspaceId, copy))
  await copyTyped(ctx.db, workspaceId, { from: id, to: copy.id, name: copy.name })
  return copy.id
}
