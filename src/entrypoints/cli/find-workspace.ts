/** Finds the workspace that W means, or refuses with a hint that helps to find it. */
import { findWorkspace as find, workspacePage, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { CommandContext } from './command.ts'
import { didYouMean } from '../../nearest.ts'
import { CommandRefusal } from './refusal.ts'

export async function resolveWorkspace(ctx: CommandContext, idOrSlug: string): Promise<WorkspaceRow> {
  const workspace = await find(ctx.db, idOrSlug)
  if (workspace) return workspace
  const slugs = (await workspacePage(ctx.db, { after: 0, max: 1_000 })).map(({ slug }) => slug)
  throw new CommandRefusal(
    'not_found',
    `There is no workspace "${idOrSlug}"${didYouMean(idOrSlug, slugs)} "facteur workspace list" shows all.`,
  )
}
