/** DELETE /invitations/{id}: invalidates an invitation's link. */
import { ApiError } from '../../contract/errors.ts'
import { dropInvitation } from '../../db/users/user-links.ts'
import { isId } from '../../ground/ids.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'

export const withdrawInvitation: Verb<'withdrawInvitation'> = async (ctx, { params: { id } }) => {
  await ctx.db.transaction(async (tx) => {
    const email = isId(id) ? await dropInvitation(tx, ctx.workspaceId, id) : null
    if (email === null) throw new ApiError('not_found', { id })
    await recordAuditEntry(tx, ctx, { act: 'invitation.withdrawn', subject: email })
  })
  return { body: { object: 'done' } }
}
