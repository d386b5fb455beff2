/**
 * Iterates over workspaces page by page, for work that spans them: each statement still concerns
 * one workspace.
 */
import type { Cell } from '../database/cells/cells.ts'
import type { Database } from '../database/client/database.ts'
import { workspacePage, type WorkspaceRow } from '../db/workspaces/workspaces.ts'

const pageSize = 200

/** Those of the context's cell; of all cells where it has none. */
export async function* eachWorkspace(ctx: {
  db: Database
  cell?: Cell
}): AsyncGenerator<WorkspaceRow[]> {
  for (let after = 0; ;) {
    const page = await workspacePage(ctx.db, { after, max: pageSize, cell: ctx.cell?.id ?? null })
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}
