/** Archives a draft or a sent campaign: it stays readable, and no further action is possible. */
import { markArchived } from '../../db/campaigns/campaign-life.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Context } from '../context.ts'
import { runInSameTransaction } from './in-the-same-transaction.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'
import { findCampaign, refuseState } from './find-campaign.ts'

/** Throws `not_found`, or `conflict` for one that is scheduled, sending or archived already. */
export async function archiveCampaign(
  ctx: Pick<Context, 'db'> & InSameTransaction,
  workspaceId: number,
  id: string,
): Promise<CampaignRow> {
  const before = await findCampaign(ctx, workspaceId, id)
  await ctx.db.transaction(async (tx) => {
    if (!(await markArchived(tx, { workspaceId, id }))) await refuseState({ db: tx }, workspaceId, id)
    await runInSameTransaction(ctx, tx, before)
  })
  return findCampaign(ctx, workspaceId, id)
}
