/**
 * Goes through all workspaces and their databases, for work that spans them: each statement still
 * concerns one workspace.
 */
import type { Database } from '../database/client/database.ts'
import { workspacePage, type WorkspaceRow } from '../db/workspaces/workspaces.ts'
import type { Databases } from './databases.ts'

const pageSize = 200

/** Those of the context's database, page by page; of all databases where it names none. */
export async function* eachWorkspace(ctx: {
  db: Database
  databaseId?: number
}): AsyncGenerator<WorkspaceRow[]> {
  for (let after = 0; ;) {
    const { databaseId = null } = ctx
    const page = await workspacePage(ctx.db, { after, max: pageSize, databaseId })
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}

/** Those of each of these databases, with the context in which their work takes place. */
export async function* workspacesIn<Each extends { db: Database; databaseId: number }>(
  databases: readonly Each[],
): AsyncGenerator<{ at: Each; workspaceId: number }> {
  for (const at of databases)
    for await (const page of eachWorkspace(at))
      for (const { id } of page) yield { at, workspaceId: id }
}

/** How many databases are worked on at once, where work goes over all of them. */
const databasesAtOnce = 4

/**
 * Does the work in each open database, a few at a time, and answers the results of those that
 * succeeded. `onFailure` receives what failed in one, which does not hold the others up; without
 * it, the first failure is thrown once all have ended.
 */
export async function inEachDatabase<Each, Result>(
  databases: Pick<Databases<Each>, 'open'>,
  work: (each: Each) => Promise<Result>,
  onFailure?: (error: unknown) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const waiting = databases.open()
  const next = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift())
      await work(each).then(
        (result) => results.push(result),
        (error: unknown) => failures.push(error),
      )
  }
  await Promise.all(Array.from({ length: databasesAtOnce }, next))
  if (onFailure) failures.forEach(onFailure)
  else if (failures.length > 0) throw failures[0]
  return results
}
