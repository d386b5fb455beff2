/** GET /password-resets/{token}: whether the link is valid, and for which user. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { findUser, hasUnprovenFactor } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { findLink } from '../identity/user-link.ts'

export async function getReset(ctx: CallContext, { params }: InputOf<'getReset'>): Promise<AnswerOf<'getReset'>> {
  const { personId, expiresAt, mailed } = await findLink(ctx.db, 'reset', params.token)
  const { id, email } = await findUser(ctx.db, personId ?? '')
  const removes = mailed && (await hasUnprovenFactor(ctx.db, id))
  return { body: { object: 'password_reset', email, expires_at: expiresAt.toISOString(), removes_second_factor: removes } }
}
