/** Has a change of a campaign noted in the audit log: with who asked for it, in the transaction of the change. */
import type { ActName } from '../../contract/audit-actions.ts'
import type { CallContext } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'

/** The call's context, in which a change of a campaign is noted as this act. */
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
