/** DELETE /person/totp: removes the authenticator app, so that no codes are required any more. */
import type { AnswerOf } from '../../contract/operations.ts'
import { dropTotp } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function removeTotp(ctx: CallContext): Promise<AnswerOf<'removeTotp'>> {
  await dropTotp(ctx.db, signedInUser(ctx).id)
  return { body: { object: 'done' } }
}
