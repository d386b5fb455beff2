/** POST /session: signs in by password, and by a second factor where the person has one. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { judgeCredentials } from './judge-credentials.ts'
import { openSession } from './open-session.ts'
import { readEmail } from './read-email.ts'

export async function signIn(ctx: CallContext, { body }: InputOf<'signIn'>): Promise<AnswerOf<'signIn'>> {
  const { id } = await judgeCredentials(ctx, { ...body, email: readEmail(body.email) })
  return openSession(ctx, ctx.db, id, 'password')
}
