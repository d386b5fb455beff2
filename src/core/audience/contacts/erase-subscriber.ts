/** POST /subscribers/{email}/erase: erases a contact by a key that has the permission of its own. */
import { ApiError } from '../../../contract/errors.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'
import { eraseContact } from './erase-contact.ts'
import { findContact } from './find-contact.ts'
import { isKnown } from './is-known.ts'

/** Throws `not_found` when nothing is known, and `conflict` while a mail to them is leaving. */
export const eraseSubscriber: Verb<'eraseSubscriber'> = async (ctx, { params }) => {
  const { email } = await findContact(ctx, params.email)
  if (!(await isKnown(ctx, email))) throw new ApiError('not_found', { email })
  const erasure = await eraseContact(ctx, { workspaceId: ctx.workspaceId, email })
  if (!erasure.erased) throw new ApiError('conflict', { reason: 'being_sent' }, 60)
  const { kept: stored } = erasure
  // The audit log says that a contact was erased, not which one.
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, { act: 'person.erased', subject: '', details: { kept: stored } }),
  )
  return { body: { object: 'contact', erased: true, kept: stored } }
}
