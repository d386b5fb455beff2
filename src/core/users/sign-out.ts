/** DELETE /session: ends this session; succeeds without one too. */
import type { AnswerOf } from '../../contract/operations.ts'
import { endSessionRow } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { sessionCookie } from '../identity/session-token.ts'

export async function signOut(ctx: CallContext): Promise<AnswerOf<'signOut'>> {
  if (ctx.user) await endSessionRow(ctx.db, ctx.user.id, ctx.user.sessionId)
  return { body: { object: 'done' }, headers: { 'Set-Cookie': sessionCookie(null, ctx.settings.baseUrl) } }
}
