/** Names a campaign in statements. */

/** A campaign of a workspace. */
export interface CampaignKey {
  workspaceId: number
  campaignId: string
}
