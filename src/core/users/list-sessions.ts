/** GET /sessions: the user's sessions. */
import type { AnswerOf } from '../../contract/operations.ts'
import { sessionsOf } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function listSessions(ctx: CallContext): Promise<AnswerOf<'listSessions'>> {
  const { id: personId, sessionId } = signedInUser(ctx)
  const sessions = await sessionsOf(ctx.db, personId)
  const data = sessions.map(({ id, method, ip, userAgent, createdAt, seenAt }) => ({
    ...{ id, method, ip, user_agent: userAgent },
    created_at: createdAt.toISOString(),
    seen_at: seenAt.toISOString(),
    current: id === sessionId,
  }))
  return { body: { object: 'list', data } }
}
