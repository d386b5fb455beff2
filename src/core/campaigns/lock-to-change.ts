/** Locks a campaign for a transaction that decides about it, or freezes its list. */
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { ApiError, existing } from '../../contract/errors.ts'
import { sqlState } from '../../database/client/database-errors.ts'
import type { Database } from '../../database/client/database.ts'
import {
  lockCampaign,
  lockFreezes,
  lockNotAvailable,
  type LockedCampaign,
} from '../../db/campaigns/campaign-freeze.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'

/** Throws `not_found`, and `conflict` while another send freezes its list. */
export async function lockToChange(tx: Database, key: CampaignKey): Promise<LockedCampaign> {
  const id = key.campaignId
  const locked = await lockCampaign(tx, key).catch((error: unknown) => {
    if (sqlState(error) !== lockNotAvailable) throw error
    throw new ApiError('conflict', { id, status: 'sending' satisfies CampaignStatus })
  })
  return existing(locked, { id })
}

/**
 * Before the audience is read, which may take minutes. `alone`: its list reads who waits for
 * another campaign. Throws `conflict` while a list is frozen that is in its way.
 */
export async function lockToFreeze(
  tx: Database,
  { workspaceId, campaignId: id }: CampaignKey,
  { status, alone }: { status: CampaignStatus; alone: boolean },
): Promise<void> {
  if (!(await lockFreezes(tx, workspaceId, alone)))
    throw new ApiError('conflict', { id, status, reason: 'campaign_starting' })
}
