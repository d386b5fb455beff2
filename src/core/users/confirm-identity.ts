/** POST /session/confirmation: a signed-in user proves their identity again. */
import { markIdentityConfirmed } from '../../db/users/sessions.ts'
import { checkCredentials } from './check-credentials.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const confirmIdentity: Verb<'confirmIdentity'> = async (ctx, { body }) => {
  const { id, email, sessionId } = signedInUser(ctx)
  await checkCredentials(ctx, { ...body, email })
  await markIdentityConfirmed(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
