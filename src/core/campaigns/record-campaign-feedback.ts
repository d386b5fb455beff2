/** News of campaigns' recipients from every source: stored once, the state forward only, and all that hangs on it in one transaction. */
import { recordCampaignFeedback as writeFeedback } from '../../db/campaign-feedback.ts'
import type { CampaignFeedback, MovedRecipient } from '../../db/campaign-feedback.ts'
import { retrying } from '../../db/connect.ts'
import type { Database } from '../../db/connect.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'
import { moveLeavers } from '../sending/record-feedback.ts'

/**
 * Records news of one workspace's campaigns in one transaction; `alongside` is written with it, all or nothing. When it answers,
 * nothing unclaimed is left for an address that this news suppressed.
 */
export async function recordCampaignFeedback(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  news: CampaignFeedback[],
  alongside: (tx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<MovedRecipient[]> {
  const moved = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      await alongside(tx)
      const rows = await writeFeedback(tx, workspaceId, news)
      await moveLeavers(tx, workspaceId, rows.map(closedOf))
      return rows
    }),
  )
  // Who came in the same moment was not there yet to be moved.
  await moveLeavers(ctx.db, workspaceId, moved.map(closedOf))
  for (const { email, status } of moved) {
    if (status === 'bounced') await settleSuppressed(ctx.db, workspaceId, email, 'bounce')
    if (status === 'complained') await settleSuppressed(ctx.db, workspaceId, email, 'complaint')
  }
  return moved
}

const closedOf = ({ email, status }: MovedRecipient) => ({ addressKey: email, status })
