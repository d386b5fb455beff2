/** Closes an address: the one way, for every door, by which it comes to receive nothing further. */
import type { SuppressionReason } from '../../contract/suppression.ts'
import { settleSuppressed, upsertSuppression } from '../../db/suppressions.ts'
import type { SuppressionRow } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'

/**
 * Commits the entry, then settles what is unclaimed for the address. Once it answers, only a row that was claimed before may
 * still leave (semantics 2). `email` is the lower-cased address.
 */
export async function suppressAddress(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints'>,
  workspaceId: number,
  entry: { email: string; reason: SuppressionReason; sourceId: string | null },
): Promise<SuppressionRow> {
  const row = await upsertSuppression(ctx.db, workspaceId, { id: ctx.makeId(), ...entry })
  await ctx.failpoints.hit('suppress.between')
  if (!ctx.failpoints.broken('suppress.settle')) await settleSuppressed(ctx.db, workspaceId, entry.email, row.reason)
  return row
}
