/**
 * Stops unclaimed mail to suppressed addresses: of single messages, whose failures are published,
 * and of campaigns.
 */
import type { SuppressionReason } from '../../contract/suppression.ts'
import { stopPendingInCampaigns } from '../../db/suppression/campaign-suppression.ts'
import { retrying } from '../../database/client/retrying.ts'
import { stopPendingInMessages } from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { publishWithheld } from '../events/status-events.ts'

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
        for (const { isFailed, ...target } of await stopPendingInMessages(
          tx,
          workspaceId,
          email,
          reason,
        ))
          rows.push({ isFailed, target, reason })
      settled = rows.length
      return publishWithheld(
        tx,
        workspaceId,
        rows.filter(({ isFailed }) => isFailed),
      )
    }),
  )
  if (pending > 0) ctx.wake('webhook')
  for (const { email, reason } of addresses)
    settled += await retrying(() => stopPendingInCampaigns(ctx.db, workspaceId, email, reason))
  return settled
}
