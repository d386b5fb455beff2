/** DELETE /person/totp: removes the authenticator app, so that no codes are required any more. */
import { dropTotp } from '../../db/users/users.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const removeTotp: Verb<'removeTotp'> = async (ctx) => {
  await dropTotp(ctx.db, signedInUser(ctx).id)
  return { body: { object: 'done' } }
}
