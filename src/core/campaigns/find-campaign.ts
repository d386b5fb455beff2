/** Finds a campaign of a workspace by its identifier. */
import { ApiError, existing } from '../../contract/errors.ts'
import { campaignsById, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../database/client/database.ts'
import { isId } from '../../ground/ids.ts'
import type { RowKey } from '../context.ts'

/** Throws `not_found` for a malformed or unknown identifier, or one of another workspace. */
export async function findCampaign(
  { db }: { db: Database },
  { workspaceId, id }: RowKey,
): Promise<CampaignRow> {
  const row = existing(isId(id) ? (await campaignsById(db, workspaceId, [id]))[0] : null, { id })
  return row
}

/**
 * Explains why a change did not apply: reads the campaign again and throws with its present state.
 */
export async function refuseState(
  ctx: { db: Database },
  { workspaceId, id }: RowKey,
): Promise<never> {
  const { status, unfinished } = await findCampaign(ctx, { workspaceId, id })
  throw new ApiError('conflict', { id, status, ...(unfinished && { reason: 'unfinished' }) })
}
