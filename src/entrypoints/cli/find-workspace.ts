/** Finds the workspace that W means, or refuses with a hint that helps to find it. */
import { findWorkspace as find, workspacePage } from '../../db/workspaces/workspaces.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import type { CommandContext } from './command.ts'
import { didYouMean } from '../../nearest.ts'
import { CommandRefusal } from './refusal.ts'

export async function resolveWorkspace(ctx: CommandContext, idOrSlug: string): Promise<WorkspaceRow> {
  const workspace = await find(ctx.db, idOrSlug)
  if (workspace) return workspace
  const slugs = (await workspacePage(ctx.db, { after: 0, most: 1_000 })).map(({ slug }) => slug)
  throw new CommandRefusal(
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
  const pages = idOrSlug === null ? eachWorkspace(ctx) : [[await resolveWorkspace(ctx, idOrSlug)]]
  for await (const workspaces of pages) {
    for (const workspace of workspaces) {
      const rows = await read(workspace.id)
      if (rows.length > 0) yield rows.map((row) => ({ ...row, workspace }))
    }
  }
}
