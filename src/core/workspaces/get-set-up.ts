/** GET /set-up/{token}: whether the link is valid, and the existing workspaces. */
import { workspacePage } from '../../db/workspaces/workspaces.ts'
import { findLink } from '../identity/user-link.ts'
import type { Verb } from '../verb.ts'

const workspacesMax = 100

export const getSetUp: Verb<'getSetUp'> = async (ctx, { params }) => {
  const { expiresAt } = await findLink(ctx.db, 'set_up', params.token)
  const workspaces = await workspacePage(ctx.db, { after: 0, max: workspacesMax })
  const data = workspaces.map(({ slug, name }) => ({ slug, name }))
  return { body: { object: 'set_up', expires_at: expiresAt.toISOString(), workspaces: data } }
}
