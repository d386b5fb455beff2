/** POST /contacts/{who}/erase: erases a contact after their address was typed again. */
import { ApiError, existing } from '../../../contract/errors.ts'
import type { SuppressionReason } from '../../../contract/suppression.ts'
import { shapeError } from '../../input/shape-error.ts'
import { hasMailTo } from '../../../db/audience/contacts.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { CallContext } from '../../context.ts'
import { eraseContact } from './erase-contact.ts'
import { findContact } from './find-contact.ts'
import { presentContact } from './present-contact.ts'
import type { Verb } from '../../verb.ts'

export const forgetContact: Verb<'forgetContact'> = async (ctx, { params, body }) => {
  const { email } = await findContact(ctx, params.who)
  await refuseUnknown(ctx, email)
  if (body.email.trim().toLowerCase() !== email)
    throw shapeError([{ path: 'email', rule: 'same_address' }])
  return { body: { object: 'contact', erased: true, kept: await forget(ctx, email) } }
}

/**
 * Erases the address, and answers why it stays suppressed. Throws `not_found` when nothing is known
 * of it, and `conflict` while a mail to it is leaving.
 */
export async function forgetKnown(
  ctx: CallContext,
  email: string,
): Promise<SuppressionReason | null> {
  await refuseUnknown(ctx, email)
  return forget(ctx, email)
}

async function refuseUnknown({ db, workspaceId }: CallContext, email: string): Promise<void> {
  if (await hasMailTo(db, workspaceId, email)) return
  existing(await presentContact({ db }, { workspaceId, email, max: 1 }), { email })
}

async function forget(ctx: CallContext, email: string): Promise<SuppressionReason | null> {
  const erasure = await eraseContact(ctx, { workspaceId: ctx.workspaceId, email })
  if (!erasure.erased) throw new ApiError('conflict', { reason: 'being_sent' }, 60)
  // The audit log says that a contact was erased, not which one.
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, {
      act: 'person.erased',
      subject: '',
      details: { kept: erasure.kept },
    }),
  )
  return erasure.kept
}
