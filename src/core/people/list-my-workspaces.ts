/** The workspaces that a person is in. */
import type { AnswerOf } from '../../contract/operations.ts'
import { workspacesOf } from '../../db/memberships.ts'
import type { CallContext } from '../context.ts'
import { theirs } from './theirs.ts'

export async function listMyWorkspaces(ctx: CallContext): Promise<AnswerOf<'listMyWorkspaces'>> {
  const workspaces = await workspacesOf(ctx.db, theirs(ctx).id)
  return { body: { object: 'list', data: workspaces.map(({ slug, name, role }) => ({ slug, name, role })) } }
}
