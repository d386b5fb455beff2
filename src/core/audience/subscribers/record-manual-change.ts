/**
 * Writes the audit entry when a user changes one subscriber. Changes by programs are visible in the
 * record and its evidence.
 */
import type { Database } from '../../../database/client/database.ts'
import type { CallContext } from '../../context.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'

export interface ByHand {
  act: 'subscriber.added' | 'subscriber.edited' | 'subscriber.unsubscribed'
  /** The subscriber's identifier instead of the address: after an erasure it identifies nobody. */
  id: string
  /** Names of the given values, without the values. */
  parts?: readonly string[]
}

export async function recordManualChange(
  ctx: CallContext,
  tx: Database,
  { act, id, parts = [] }: ByHand,
): Promise<void> {
  if (!ctx.user) return
  await recordAuditEntry(tx, ctx, {
    act,
    subject: id,
    ...(parts.length > 0 && { details: { parts: parts.join(', ') } }),
  })
}
