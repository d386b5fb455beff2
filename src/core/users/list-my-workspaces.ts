/** Lists the user's workspaces. */
import { workspacesOf } from '../../db/users/memberships.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const listMyWorkspaces: Verb<'listMyWorkspaces'> = async (ctx) => {
  const workspaces = await workspacesOf(ctx.db, signedInUser(ctx).id)
  return {
    body: {
      object: 'list',
      data: workspaces.map(({ id, slug, name, role }) => ({
        ...{ slug, name, role },
        captures: ctx.providers.of(id).captures,
      })),
    },
  }
}
