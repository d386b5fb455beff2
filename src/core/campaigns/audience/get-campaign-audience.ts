/** GET /campaigns/{id}/audience: whom a campaign goes to. */
import { existing } from '../../../contract/errors.ts'
import { audienceOfCampaign } from '../../../db/campaigns/campaign-audience.ts'
import { isId } from '../../../ground/ids.ts'
import type { CallContext } from '../../context.ts'
import type { Verb } from '../../verb.ts'
import { presentAudience } from './present-audience.ts'

export const getCampaignAudience: Verb<'getCampaignAudience', CallContext, 'params'> = async (
  { db, workspaceId },
  { params: { id } },
) => {
  const row = isId(id) ? await audienceOfCampaign(db, { workspaceId, campaignId: id }) : null
  return { body: await presentAudience(db, { workspaceId, id }, existing(row, { id })) }
}
