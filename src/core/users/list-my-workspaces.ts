/** Lists the user's workspaces. */
import type { AnswerOf } from '../../contract/operations.ts'
import { workspacesOf } from '../../db/users/memberships.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function listMyWorkspaces(ctx: CallContext): Promise<AnswerOf<'listMyWorkspaces'>> {
  const workspaces = await workspacesOf(ctx.db, signedInUser(ctx).id)
  return { body: { object: 'list', data: workspaces.map(({ slug, name, role }) => ({ slug, name, role })) } }
}
