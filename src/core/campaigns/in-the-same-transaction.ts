/** Lets a caller write in the transaction of a campaign's change, such as an audit entry. */
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../db/connection/connect.ts'

export interface InSameTransaction {
  /** Receives the campaign as it was before the change. */
  along?: (tx: Database, before: CampaignRow) => Promise<void>
}

export const runInSameTransaction = async ({ along }: InSameTransaction, tx: Database, before: CampaignRow): Promise<void> =>
  along?.(tx, before)
