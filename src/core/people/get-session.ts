/** Who is signed in here. */
import type { AnswerOf } from '../../contract/operations.ts'
import { findPerson } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { theirs } from './theirs.ts'

export async function getSession(ctx: CallContext): Promise<AnswerOf<'getSession'>> {
  const { id, sessionId } = theirs(ctx)
  const { email, name, language } = await findPerson(ctx.db, id)
  return { body: { object: 'session', id: sessionId, person: { id, email, name, language } } }
}
