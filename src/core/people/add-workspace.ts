/** POST /workspaces: a new workspace, whose owner the person becomes. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { insertMembership, workspacesOf } from '../../db/memberships.ts'
import type { CallContext } from '../context.ts'
import { createWorkspace } from '../workspaces/create-workspace.ts'
import { readWorkspaceName } from './read-workspace-name.ts'
import { recordAct } from './record-act.ts'
import { theirs } from './theirs.ts'

/** Whoever owns a workspace was trusted with one; whoever was only invited to look is not to fill the installation. */
export async function addWorkspace(ctx: CallContext, { body }: InputOf<'addWorkspace'>): Promise<AnswerOf<'addWorkspace'>> {
  const { id } = theirs(ctx)
  const mine = await workspacesOf(ctx.db, id)
  if (!mine.some(({ role }) => role === 'owner')) throw new ApiError('insufficient_role', { required: 'owner' })
  const name = readWorkspaceName(body.name, 'name')
  const workspace = await ctx.db.transaction(async (tx) => {
    const made = await createWorkspace({ db: tx }, { name })
    if (!made) throw new ApiError('conflict', { reason: 'name_taken' })
    await insertMembership(tx, made.id, id, 'owner')
    await recordAct(tx, { ...ctx, workspaceId: made.id }, { act: 'workspace.created', subject: made.name })
    return made
  })
  return { body: { slug: workspace.slug, name: workspace.name, role: 'owner' } }
}
