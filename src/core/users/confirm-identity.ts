/** POST /session/confirmation: a signed-in user proves their identity again. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { markIdentityConfirmed } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { checkCredentials } from './check-credentials.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function confirmIdentity(
  ctx: CallContext,
  { body }: InputOf<'confirmIdentity'>,
): Promise<AnswerOf<'confirmIdentity'>> {
  const { id, email, sessionId } = signedInUser(ctx)
  await checkCredentials(ctx, { ...body, email })
  await markIdentityConfirmed(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
