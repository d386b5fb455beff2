/** PATCH /members/{id}: changes a member's role. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { setMemberRole } from './set-member-role.ts'

export async function changeRole(
  ctx: CallContext,
  { params: { id }, body: { role } }: InputOf<'changeRole'>,
): Promise<AnswerOf<'changeRole'>> {
  await ctx.db.transaction((tx) => setMemberRole(ctx, tx, { personId: id, role }))
  return { body: { object: 'done' } }
}
