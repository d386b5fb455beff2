/**
 * POST /person/password: sets a new password, ends every other session, and renews this one's
 * cookie.
 */
import { setPassword } from '../../db/users/users.ts'
import { dropResetLinks } from '../../db/users/user-links.ts'
import { endSessions } from '../../db/users/sessions.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { storeSession } from '../identity/open-session.ts'
import { sessionCookie } from '../identity/session-token.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const changePassword: Verb<'changePassword'> = async (ctx, { body }) => {
  const { id, email } = signedInUser(ctx)
  validatePassword(body.password, email)
  const hashed = await ctx.passwords.hash(body.password)
  const { token } = await ctx.db.transaction(async (tx) => {
    await setPassword(tx, id, hashed)
    await endSessions(tx, id, null)
    await dropResetLinks(tx, id)
    return storeSession(ctx, tx, { userId: id, method: 'password' })
  })
  return {
    body: { object: 'done' },
    headers: { 'Set-Cookie': sessionCookie(token, ctx.settings.baseUrl) },
  }
}
