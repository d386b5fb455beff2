/** Iterates over all workspaces page by page, for work that spans them: each statement still concerns one workspace. */
import type { Database } from '../db/connection/database.ts'
import { workspacePage, type WorkspaceRow } from '../db/workspaces/workspaces.ts'

const pageSize = 200

export async function* eachWorkspace(ctx: { db: Database }): AsyncGenerator<WorkspaceRow[]> {
  for (let after = 0; ;) {
    const page = await workspacePage(ctx.db, { after, max: pageSize })
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}
