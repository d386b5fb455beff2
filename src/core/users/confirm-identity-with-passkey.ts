/**
 * POST /session/confirmation/passkey: a signed-in user proves their identity again by a passkey.
 */
import { ApiError } from '../../contract/errors.ts'
import { markIdentityConfirmed } from '../../db/users/sessions.ts'
import { checkPasskey } from './check-passkey.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const confirmIdentityWithPasskey: Verb<'confirmIdentityWithPasskey'> = async (
  ctx,
  { body },
) => {
  const { id, sessionId } = signedInUser(ctx)
  const { userId } = await checkPasskey(ctx, body)
  if (userId !== id) throw new ApiError('wrong_credentials')
  await markIdentityConfirmed(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
