/** POST /session: signs in by password, and by a second factor if the user has one. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { checkCredentials } from './check-credentials.ts'
import { openUserSession } from '../identity/open-session.ts'
import { readLoginEmail } from '../identity/read-login-email.ts'

export async function signIn(ctx: CallContext, { body }: InputOf<'signIn'>): Promise<AnswerOf<'signIn'>> {
  const { id } = await checkCredentials(ctx, { ...body, email: readLoginEmail(body.email) })
  return openUserSession(ctx, ctx.db, id, 'password')
}
