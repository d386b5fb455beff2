/** DELETE /session: ends this session; succeeds without one too. */
import { endSessionRow } from '../../db/users/sessions.ts'
import { sessionCookie } from '../identity/session-token.ts'
import type { Verb } from '../verb.ts'

export const signOut: Verb<'signOut'> = async (ctx) => {
  if (ctx.user) await endSessionRow(ctx.db, ctx.user.id, ctx.user.sessionId)
  return {
    body: { object: 'done' },
    headers: { 'Set-Cookie': sessionCookie(null, ctx.settings.baseUrl) },
  }
}
