/** POST /session: signs in by password, and by a second factor if the user has one. */
import { checkCredentials } from './check-credentials.ts'
import { openUserSession } from '../identity/open-session.ts'
import { readLoginEmail } from '../identity/read-login-email.ts'
import type { Verb } from '../verb.ts'

export const signIn: Verb<'signIn'> = async (ctx, { body }) => {
  const { id } = await checkCredentials(ctx, { ...body, email: readLoginEmail(body.email) })
  return openUserSession(ctx, ctx.db, { userId: id, method: 'password' })
}
