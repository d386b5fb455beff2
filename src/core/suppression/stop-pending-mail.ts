/**
 * Stops unclaimed mail to suppressed addresses: of single messages, whose failures are published,
 * and of campaigns.
 */
import type { SuppressionReason } from '../../contract/suppression.ts'
import { stopPendingInCampaigns } from '../../db/suppression/campaign-suppression.ts'
import { retrying } from '../../database/client/retrying.ts'
import { stopPendingInMessages } from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { publishFailed } from '../events/status-events.ts'

/**
 * Call it after the commit of the entries; `email` is the lower-cased address. All single messages
 * share one transaction. Returns how many rows no longer leave.
 */
export async function stopPendingMail(
  ctx: Pick<Context, 'db' | 'wake'>,
  {
    workspaceId,
    addresses,
  }: { workspaceId: number; addresses: readonly { email: string; reason: SuppressionReason }[] },
): Promise<number> {
  let settled = 0
  const pending = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const rows = []
      for (const { email, reason } of addresses)
        rows.push(...(await stopPendingInMessages(tx, workspaceId, email, reason)))
      settled = rows.length
      const failed = rows.filter(({ isFailed }) => isFailed)
      return failed.length > 0 ? publishFailed(tx, workspaceId, failed) : 0
    }),
  )
  if (pending > 0) ctx.wake('webhook')
  for (const { email, reason } of addresses)
    settled += await retrying(() => stopPendingInCampaigns(ctx.db, workspaceId, email, reason))
  return settled
}
