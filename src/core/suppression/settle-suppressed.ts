/** Settles what is unclaimed for an address that was just suppressed: single messages, whose failures are published, and campaigns. */
import type { SuppressionReason } from '../../contract/suppression.ts'
import { settleInCampaigns } from '../../db/campaign-suppression.ts'
import { settleInMessages } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'
import { publishFailed } from '../webhooks/move-events.ts'

/** Call it after the commit of the entry. Answers how many rows no longer leave. */
export async function settleSuppressed(
  ctx: Pick<Context, 'db' | 'wake'>,
  workspaceId: number,
  email: string,
  reason: SuppressionReason,
): Promise<number> {
  const { settled, owed } = await ctx.db.transaction(async (tx) => {
    const rows = await settleInMessages(tx, workspaceId, email, reason)
    const failed = rows.filter(({ isFailed }) => isFailed)
    return { settled: rows.length, owed: await publishFailed(tx, workspaceId, failed) }
  })
  if (owed > 0) ctx.wake('webhook')
  return settled + (await settleInCampaigns(ctx.db, workspaceId, email, reason))
}
