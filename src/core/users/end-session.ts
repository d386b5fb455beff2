/** DELETE /sessions/{id}: ends a session, so that its browser must sign in again. */
import { ApiError } from '../../contract/errors.ts'
import { endSessionRow as endOne } from '../../db/users/sessions.ts'
import { isId } from '../../ground/ids.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const endSession: Verb<'endSession'> = async (ctx, { params: { id } }) => {
  if (!isId(id) || !(await endOne(ctx.db, signedInUser(ctx).id, id)))
    throw new ApiError('not_found', { id })
  return { body: { object: 'done' } }
}
