/** GET /session: who is signed in here. */
import type { AnswerOf } from '../../contract/operations.ts'
import { findPerson } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { showSession } from './show-session.ts'
import { theirs } from './theirs.ts'

export async function getSession(ctx: CallContext): Promise<AnswerOf<'getSession'>> {
  const { id, sessionId } = theirs(ctx)
  return { body: showSession(sessionId, await findPerson(ctx.db, id)) }
}
