/** DELETE /members/{id}: removes a member, who has no access from the moment of the answer. */
import { endMembership } from './set-member-role.ts'
import type { Verb } from '../verb.ts'

export const removeMember: Verb<'removeMember'> = async (ctx, { params: { id } }) => {
  await ctx.db.transaction((tx) => endMembership(ctx, tx, id))
  return { body: { object: 'done' } }
}
