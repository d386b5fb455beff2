/** Lists the user's workspaces. */
import { ownsAllWorkspaces, workspacesOf } from '../../db/users/memberships.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const listMyWorkspaces: Verb<'listMyWorkspaces'> = async (ctx) => {
  const { id: userId } = signedInUser(ctx)
  const [workspaces, ownsAll] = await Promise.all([
    workspacesOf(ctx.db, userId),
    ownsAllWorkspaces(ctx.db, userId),
  ])
  return {
    body: {
      object: 'list',
      data: workspaces.map(({ id, slug, name, role }) => ({
        ...{ slug, name, role },
        captures: ctx.providers.of(id).captures,
        owns_all: ownsAll,
      })),
    },
  }
}
