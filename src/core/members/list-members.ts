/** GET /members: the members of the workspace. */
import type { AnswerOf } from '../../contract/operations.ts'
import { membersOf } from '../../db/users/memberships.ts'
import type { CallContext } from '../context.ts'

export async function listMembers(ctx: CallContext): Promise<AnswerOf<'listMembers'>> {
  const members = await membersOf(ctx.db, ctx.workspaceId)
  const data = members.map(({ joinedAt, secondFactor, ...member }) => ({
    ...member,
    joined_at: joinedAt.toISOString(),
    second_factor: secondFactor,
  }))
  return { body: { object: 'list', data } }
}
