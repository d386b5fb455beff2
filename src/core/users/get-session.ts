/** GET /session: the signed-in user. */
import type { AnswerOf } from '../../contract/operations.ts'
import { findUser } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { presentSession } from '../identity/present-session.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function getSession(ctx: CallContext): Promise<AnswerOf<'getSession'>> {
  const { id, sessionId } = signedInUser(ctx)
  return { body: presentSession(sessionId, await findUser(ctx.db, id)) }
}
