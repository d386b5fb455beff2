/** POST /person/password: a new password; every other session dies, and this one goes on under a new cookie. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { setPassword } from '../../db/people.ts'
import { dropResetLinks } from '../../db/person-links.ts'
import { endSessions } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { judgePassword } from './judge-password.ts'
import { keepSession } from './open-session.ts'
import { sessionCookie } from './session-token.ts'
import { theirs } from './theirs.ts'

export async function changePassword(ctx: CallContext, { body }: InputOf<'changePassword'>): Promise<AnswerOf<'changePassword'>> {
  const { id, email } = theirs(ctx)
  judgePassword(body.password, email)
  const hashed = await ctx.passwords.hash(body.password)
  const { token } = await ctx.db.transaction(async (tx) => {
    await setPassword(tx, id, hashed)
    await endSessions(tx, id, null)
    await dropResetLinks(tx, id)
    return keepSession(ctx, tx, id, 'password')
  })
  return { body: { object: 'done' }, headers: { 'Set-Cookie': sessionCookie(token, ctx.settings.baseUrl) } }
}
