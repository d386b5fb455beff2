/** GET /members: the members of the workspace. */
import { membersOf } from '../../db/users/memberships.ts'
import type { Verb } from '../verb.ts'

export const listMembers: Verb<'listMembers'> = async (ctx) => {
  const members = await membersOf(ctx.db, ctx.workspaceId)
  const data = members.map(({ joinedAt, secondFactor, ...member }) => ({
    ...member,
    joined_at: joinedAt.toISOString(),
    second_factor: secondFactor,
  }))
  return { body: { object: 'list', data } }
}
