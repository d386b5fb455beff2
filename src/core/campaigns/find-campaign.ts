/** The campaign that an identifier names in a workspace. */
import { ApiError } from '../../contract/errors.ts'
import { campaignsById } from '../../db/campaigns/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../db/connection/connect.ts'
import { isId } from '../../ids.ts'

/** Throws `not_found` for an identifier that is none, nobody's, or another workspace's. */
export async function findCampaign({ db }: { db: Database }, workspaceId: number, id: string): Promise<CampaignRow> {
  const [row] = isId(id) ? await campaignsById(db, workspaceId, [id]) : []
  if (!row) throw new ApiError('not_found', { id })
  return row
}

/** Of a change that found no state to leave: read again, the state tells why. */
export async function refuseState(ctx: { db: Database }, workspaceId: number, id: string): Promise<never> {
  const { status, unfinished } = await findCampaign(ctx, workspaceId, id)
  throw new ApiError('conflict', { id, status, ...(unfinished && { reason: 'unfinished' }) })
}
