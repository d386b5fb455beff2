/** The workspace that W means, or a refusal that helps to find it. */
import { findWorkspace as find, workspacePage } from '../../db/workspaces.ts'
import type { WorkspaceRow } from '../../db/workspaces.ts'
import { walkWorkspaces } from '../../core/workspaces/walk-workspaces.ts'
import type { CommandContext } from './command.ts'
import { didYouMean } from '../../nearest.ts'
import { Refusal } from './refusal.ts'

export async function findWorkspace(ctx: CommandContext, idOrSlug: string): Promise<WorkspaceRow> {
  const workspace = await find(ctx.db, idOrSlug)
  if (workspace) return workspace
  const slugs = (await workspacePage(ctx.db, { after: 0, most: 1_000 })).map(({ slug }) => slug)
  throw new Refusal(
    'not_found',
    `There is no workspace "${idOrSlug}"${didYouMean(idOrSlug, slugs)} "facteur workspace list" shows all.`,
  )
}

/** What every workspace, or the one that is named, holds of something: a page for each that holds any. */
export async function* rowsOf<Row>(
  ctx: CommandContext,
  idOrSlug: string | null,
  read: (workspaceId: number) => Promise<Row[]>,
): AsyncGenerator<(Row & { workspace: WorkspaceRow })[]> {
  const pages = idOrSlug === null ? walkWorkspaces(ctx) : [[await findWorkspace(ctx, idOrSlug)]]
  for await (const workspaces of pages) {
    for (const workspace of workspaces) {
      const rows = await read(workspace.id)
      if (rows.length > 0) yield rows.map((row) => ({ ...row, workspace }))
    }
  }
}
