/** DELETE /person/passkeys/{id}: removes a passkey. */
import { ApiError } from '../../contract/errors.ts'
import { deletePasskey } from '../../db/users/passkeys.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const removePasskey: Verb<'removePasskey'> = async (ctx, { params: { id } }) => {
  if (!(await deletePasskey(ctx.db, signedInUser(ctx).id, id)))
    throw new ApiError('not_found', { id })
  return { body: { object: 'done' } }
}
