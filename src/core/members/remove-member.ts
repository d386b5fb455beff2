/** DELETE /members/{id}: they can do nothing here from the moment that it is answered. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { endMembership } from './set-member-role.ts'

export async function removeMember(
  ctx: CallContext,
  { params: { id } }: InputOf<'removeMember'>,
): Promise<AnswerOf<'removeMember'>> {
  await ctx.db.transaction((tx) => endMembership(ctx, tx, id))
  return { body: { object: 'done' } }
}
