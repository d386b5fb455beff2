/** The audit log's line for what a member of the workspace did to one person. What programs do is told by the record and its evidence. */
import type { Database } from '../../db/connection/connect.ts'
import type { CallContext } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'

export interface ByHand {
  act: 'subscriber.added' | 'subscriber.edited' | 'subscriber.unsubscribed'
  /** The subscriber's identifier, and no address: once the person is erased, it leads to nobody. */
  id: string
  /** Names of what was given, without what it was. */
  parts?: readonly string[]
}

export async function recordManualChange(ctx: CallContext, tx: Database, { act, id, parts = [] }: ByHand): Promise<void> {
  if (!ctx.user) return
  await recordAuditEntry(tx, ctx, { act, subject: id, ...(parts.length > 0 && { details: { parts: parts.join(', ') } }) })
}
