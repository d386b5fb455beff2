/**
 * The audience and the topic of a campaign as they are now, for a count or a freeze; and who may
 * not send to them.
 */
import { ApiError, existing } from '../../../contract/errors.ts'
import type { Database } from '../../../database/client/database.ts'
import { audienceOfCampaign } from '../../../db/campaigns/campaign-audience.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { shapeError } from '../../input/shape-error.ts'
import { compileAudience, type CompiledAudience } from './compile-audience.ts'

/** In the transaction of the count or the freeze. Null means everybody subscribed. */
export async function audienceNow(
  tx: Database,
  key: CampaignKey,
): Promise<CompiledAudience | null> {
  const row = existing(await audienceOfCampaign(tx, key), { id: key.campaignId })
  const { audience, topic, topicId } = row
  if (topicId !== null && topic === null) throw shapeError([{ path: 'topic', rule: 'unknown' }])
  if (audience === null && topic === null) return null
  return compileAudience(tx, key.workspaceId, audience ?? { to: null, except: [] }, topic)
}

/** A send by a key goes to everybody subscribed (spec: Campaigns), so it does not take this one. */
export function refuseTargeted({ id, status, isTargeted }: CampaignRow): void {
  if (isTargeted) throw new ApiError('conflict', { id, status, reason: 'targeted' })
}
