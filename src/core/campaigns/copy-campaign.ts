/** Copies any campaign to a new draft: content, sender and tracking, without its results. */
import { copyAudience } from '../../db/campaigns/campaign-audience.ts'
import { campaignSource } from '../../db/campaigns/campaigns.ts'
import { copyTyped } from '../../db/campaigns/drafts.ts'
import type { Database } from '../../database/client/database.ts'
import type { Context } from '../context.ts'
import { findCampaign } from './find-campaign.ts'
import { insertDraft, type WithUser } from './insert-draft.ts'

/**
 * Copies in the caller's transaction, an unfinished draft as it is typed. A null `name` means the
 * same name. Returns the copy's identifier. Throws `not_found`, and `validation_error` when the
 * workspace has too many drafts.
 */
export async function copyCampaign(
  ctx: Pick<Context, 'makeId'> & WithUser & { db: Database },
  { workspaceId, id, name }: { workspaceId: number; id: string; name: string | null },
): Promise<string> {
  const original = await findCampaign(ctx, { workspaceId, id })
  const result = await campaignSource(ctx.db, workspaceId, id)
  const copy = { ...original, name: name ?? original.name, source: result?.source }
  const copyId = await insertDraft({ ...ctx, workspaceId }, ctx.db, copy)
  await copyAudience(ctx.db, workspaceId, { from: id, to: copyId })
  await copyTyped(ctx.db, workspaceId, { from: id, to: copyId, name: copy.name })
  return copyId
}
