/** PATCH /members/{id}: changes a member's role. */
import { setMemberRole } from './set-member-role.ts'
import type { Verb } from '../verb.ts'

export const changeRole: Verb<'changeRole'> = async (ctx, { params: { id }, body: { role } }) => {
  await ctx.db.transaction((tx) => setMemberRole(ctx, tx, { userId: id, role }))
  return { body: { object: 'done' } }
}
