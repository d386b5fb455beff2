/** One verb for news from every source: stored once, the state forward only, suppression and reputation with it. */
import type { Database } from '../../db/connect.ts'
import { recordFeedback as writeFeedback } from '../../db/feedback.ts'
import type { FeedbackRow, MovedRow } from '../../db/feedback.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'

/**
 * Records news of one workspace's recipients in one transaction; `alongside` is written with it, all or nothing. When it
 * answers, nothing unclaimed is left for an address that this news suppressed.
 */
export async function recordFeedback(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  news: FeedbackRow[],
  alongside: (tx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<MovedRow[]> {
  const moved = await ctx.db.transaction(async (tx) => {
    await alongside(tx)
    return writeFeedback(tx, workspaceId, news)
  })
  for (const row of moved) {
    if (row.status === 'bounced') await settleSuppressed(ctx.db, workspaceId, row.addressKey, 'bounce')
    if (row.status === 'complained') await settleSuppressed(ctx.db, workspaceId, row.addressKey, 'complaint')
  }
  return moved
}
