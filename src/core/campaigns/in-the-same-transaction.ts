/** What a caller writes along with a change of a campaign, in its transaction: the audit log of who did it. */
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../db/connection/connect.ts'

export interface InSameTransaction {
  /** Given the campaign as it was before. */
  along?: (tx: Database, before: CampaignRow) => Promise<void>
}

export const runInSameTransaction = async ({ along }: InSameTransaction, tx: Database, before: CampaignRow): Promise<void> =>
  along?.(tx, before)
