/** DELETE /sessions: ends all other sessions of the user. */
import type { AnswerOf } from '../../contract/operations.ts'
import { endSessions } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function endOtherSessions(ctx: CallContext): Promise<AnswerOf<'endOtherSessions'>> {
  const { id, sessionId } = signedInUser(ctx)
  return { body: { object: 'sessions_ended', ended: await endSessions(ctx.db, id, sessionId) } }
}
