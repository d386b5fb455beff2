/** DELETE /membership: the user leaves the workspace; the last owner cannot. */
import type { AnswerOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'
import { endMembership } from './set-member-role.ts'

export async function leaveWorkspace(ctx: CallContext): Promise<AnswerOf<'leaveWorkspace'>> {
  const { id } = signedInUser(ctx)
  await ctx.db.transaction((tx) => endMembership(ctx, tx, id))
  return { body: { object: 'done' } }
}
