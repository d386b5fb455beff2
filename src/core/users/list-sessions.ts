/** GET /sessions: the user's sessions. */
import { sessionsOf } from '../../db/users/sessions.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const listSessions: Verb<'listSessions'> = async (ctx) => {
  const { id: userId, sessionId } = signedInUser(ctx)
  const sessions = await sessionsOf(ctx.db, userId)
  const data = sessions.map(({ id, method, ip, userAgent, createdAt, seenAt }) => ({
    ...{ id, method, ip, user_agent: userAgent },
    created_at: createdAt.toISOString(),
    seen_at: seenAt.toISOString(),
    current: id === sessionId,
  }))
  return { body: { object: 'list', data } }
}
