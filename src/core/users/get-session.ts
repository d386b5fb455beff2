/** GET /session: the signed-in user. */
import { findUser } from '../../db/users/users.ts'
import { presentSession } from '../identity/present-session.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const getSession: Verb<'getSession'> = async (ctx) => {
  const { id, sessionId } = signedInUser(ctx)
  return { body: presentSession(sessionId, await findUser(ctx.db, id)) }
}
