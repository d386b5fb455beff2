/** Adds an audit entry to the transaction of a campaign's change: who asked for it. */
import type { ActName } from '../../contract/audit-actions.ts'
import type { CallContext } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'

/** Extends the call's context, so that a change of a campaign writes this audit entry. */
export function withAuditEntry(
  ctx: CallContext,
  act: ActName,
  details: Record<string, string | number> = {},
): CallContext & InSameTransaction {
  return {
    ...ctx,
    along: (tx, { id, name }) => recordAuditEntry(tx, ctx, { act, subject: name, details: { campaign: id, ...details } }),
  }
}
