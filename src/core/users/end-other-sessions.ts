/** DELETE /sessions: ends all other sessions of the user. */
import { endSessions } from '../../db/users/sessions.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const endOtherSessions: Verb<'endOtherSessions'> = async (ctx) => {
  const { id, sessionId } = signedInUser(ctx)
  return { body: { object: 'sessions_ended', ended: await endSessions(ctx.db, id, sessionId) } }
}
