/** POST /contacts/{who}/erase: erases a contact after their address was typed again. */
import { ApiError } from '../../../contract/errors.ts'
import { shapeError } from '../../input/shape-error.ts'
import { hasMailTo } from '../../../db/audience/contacts.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { eraseContact } from './erase-contact.ts'
import { findContact } from './find-contact.ts'
import { getContact } from './get-contact.ts'
import type { Verb } from '../../verb.ts'

export const forgetContact: Verb<'forgetContact'> = async (ctx, { params, body }) => {
  const { email } = await findContact(ctx, params.who)
  if (!(await hasMailTo(ctx.db, ctx.workspaceId, email)))
    await getContact(ctx, { params, query: {}, headers: {}, body: undefined, file: undefined })
  if (body.email.trim().toLowerCase() !== email)
    throw shapeError([{ path: 'email', rule: 'same_address' }])
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
  return { body: { object: 'contact', erased: true, kept: erasure.kept } }
}
