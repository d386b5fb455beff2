/** What a caller writes along with a change of a campaign, in its transaction: the audit log of who did it. */
import type { CampaignRow } from '../../db/campaigns.ts'
import type { Database } from '../../db/connect.ts'

export interface Along {
  /** Given the campaign as it was before. */
  along?: (tx: Database, before: CampaignRow) => Promise<void>
}

export const writeAlong = async ({ along }: Along, tx: Database, before: CampaignRow): Promise<void> => along?.(tx, before)
