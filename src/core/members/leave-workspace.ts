/** DELETE /membership: the user leaves the workspace; the last owner cannot. */
import { signedInUser } from '../signed-in-user.ts'
import { endMembership } from './set-member-role.ts'
import type { Verb } from '../verb.ts'

export const leaveWorkspace: Verb<'leaveWorkspace'> = async (ctx) => {
  const { id } = signedInUser(ctx)
  await ctx.db.transaction((tx) => endMembership(ctx, tx, id))
  return { body: { object: 'done' } }
}
