/** DELETE /session: ends this session; alike where there is none. */
import type { AnswerOf } from '../../contract/operations.ts'
import { endSession } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { sessionCookie } from './session-token.ts'

export async function signOut(ctx: CallContext): Promise<AnswerOf<'signOut'>> {
  if (ctx.person) await endSession(ctx.db, ctx.person.id, ctx.person.sessionId)
  return { body: { object: 'done' }, headers: { 'Set-Cookie': sessionCookie(null, ctx.settings.baseUrl) } }
}
