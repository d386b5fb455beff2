/** DELETE /members/{id}: removes a member, who has no access from the moment of the answer. */
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
