/** POST /session/confirmation/passkey: a signed-in user proves their identity again by a passkey. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { markIdentityConfirmed } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { checkPasskey } from './check-passkey.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function confirmIdentityWithPasskey(
  ctx: CallContext,
  { body }: InputOf<'confirmIdentityWithPasskey'>,
): Promise<AnswerOf<'confirmIdentityWithPasskey'>> {
  const { id, sessionId } = signedInUser(ctx)
  const { personId } = await checkPasskey(ctx, body)
  if (personId !== id) throw new ApiError('wrong_credentials')
  await markIdentityConfirmed(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
