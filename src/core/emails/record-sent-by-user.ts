/**
 * Writes an audit entry for each message that a signed-in user sends; the log of calls has those of
 * keys.
 */
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import type { EmailToSend } from '../sending/read-email.ts'
import type { Sent } from '../sending/replay.ts'

/** Of a repeated call, nothing more is written: the first one has its entries. */
export async function recordSentByUser(
  ctx: CallContext,
  { emails, sent }: { emails: EmailToSend[]; sent: Sent },
): Promise<void> {
  if (sent.replayed) return
  await ctx.db.transaction(async (tx) => {
    for (const [index, { subject, to, cc, bcc }] of emails.entries()) {
      const recipients = to.length + cc.length + bcc.length
      const details = { message: sent.ids[index] ?? '', recipients }
      await recordAuditEntry(tx, ctx, { act: 'message.sent', subject, details })
    }
  })
}
