/**
 * Publishes `campaign.sent` when nothing of a campaign is left to hand over (semantics 4: Event
 * data).
 */
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { campaignsById } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../database/client/database.ts'
import { subscribedTypesOf } from '../../db/events/events.ts'
import type { Language } from '../../ground/texts/texts.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import { publishEvents } from './publish-events.ts'

/** Call it last in the transaction. Returns the number of pending deliveries. */
export async function publishCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  language: Language,
): Promise<number> {
  const subscribed = await subscribedTypesOf(tx, workspaceId)
  if (!subscribed.has('campaign.sent')) return 0
  const [row] = await campaignsById(tx, workspaceId, [campaignId])
  if (!row) return 0
  const { object, id, name, subject, status, recipients, progress, in_doubt, sentAt, completedAt } =
    presentCampaign(row, language)
  const data = {
    object,
    id,
    campaign_id: id,
    name,
    subject,
    status,
    recipients,
    progress,
    in_doubt,
    sentAt,
    completedAt,
  }
  return publishEvents(tx, workspaceId, [{ type: 'campaign.sent', data }])
}
