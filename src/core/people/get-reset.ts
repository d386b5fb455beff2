/** GET /password-resets/{token}: whether the link works, and for whom. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { findPerson } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { findLink } from './person-link.ts'

export async function getReset(ctx: CallContext, { params }: InputOf<'getReset'>): Promise<AnswerOf<'getReset'>> {
  const { personId, expiresAt } = await findLink(ctx.db, 'reset', params.token)
  const { email } = await findPerson(ctx.db, personId ?? '')
  return { body: { object: 'password_reset', email, expires_at: expiresAt.toISOString() } }
}
