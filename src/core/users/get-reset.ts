/** GET /password-resets/{token}: whether the link is valid, and for which user. */
import { findUser, hasUnprovenFactor } from '../../db/users/users.ts'
import { findLink } from '../identity/user-link.ts'
import type { Verb } from '../verb.ts'

export const getReset: Verb<'getReset'> = async (ctx, { params }) => {
  const { userId, expiresAt, mailed } = await findLink(ctx.db, 'reset', params.token)
  const { id, email } = await findUser(ctx.db, userId ?? '')
  const removes = mailed && (await hasUnprovenFactor(ctx.db, id))
  return {
    body: {
      object: 'password_reset',
      email,
      expires_at: expiresAt.toISOString(),
      removes_second_factor: removes,
    },
  }
}
