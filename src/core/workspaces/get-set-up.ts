/** GET /set-up/{token}: whether the link is valid, and the existing workspaces. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { workspacePage } from '../../db/workspaces/workspaces.ts'
import type { CallContext } from '../context.ts'
import { findLink } from '../identity/user-link.ts'

const workspacesMost = 100

export async function getSetUp(ctx: CallContext, { params }: InputOf<'getSetUp'>): Promise<AnswerOf<'getSetUp'>> {
  const { expiresAt } = await findLink(ctx.db, 'set_up', params.token)
  const workspaces = await workspacePage(ctx.db, { after: 0, most: workspacesMost })
  const data = workspaces.map(({ slug, name }) => ({ slug, name }))
  return { body: { object: 'set_up', expires_at: expiresAt.toISOString(), workspaces: data } }
}
