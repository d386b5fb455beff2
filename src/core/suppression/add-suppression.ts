/** POST /suppression: suppresses an address at the caller's request. */
import type { CallContext } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { readAddressKey } from './list-suppression.ts'
import { presentSuppression } from '../presentation/present-suppression.ts'
import { suppressAddress, type InEntryTransaction } from './suppress-address.ts'
import type { Verb } from '../verb.ts'

export const addSuppression: Verb<'addSuppression'> = async (ctx, { body }) => {
  const email = readAddressKey(body.email, 'email')
  const reason = body.reason ?? 'manual'
  const entry = await suppressAddress(ctx, {
    workspaceId: ctx.workspaceId,
    entry: { email, reason, sourceId: null },
    beside: describeWho(ctx, email, reason),
  })
  return { body: presentSuppression(entry) }
}

/** The audit log records users only: the list itself shows the suppressions of programs. */
const describeWho =
  (ctx: CallContext, email: string, reason: string): InEntryTransaction =>
  async (tx) => {
    if (ctx.user)
      await recordAuditEntry(tx, ctx, {
        act: 'suppression.added',
        subject: email,
        details: { reason },
      })
  }
