/** Limits the number of a workspace's objects: one rule for every operation that creates one. */
import { limits } from '../../contract/limits.ts'
import type { Database } from '../../database/client/database.ts'
import { countThings, lockCounts, type Counted } from '../../db/workspaces/counted-things.ts'
import { shapeError } from './shape-error.ts'

/**
 * Runs `insert` in the caller's transaction. Throws `validation_error` with the rule `room.<what>`
 * when it added one beyond the limit; an insert that only changes an existing entry always passes.
 */
export async function withinLimit<T>(
  tx: Database,
  workspaceId: number,
  what: Counted,
  insert: () => Promise<T>,
): Promise<T> {
  await lockCounts(tx, workspaceId)
  const before = await countThings(tx, workspaceId, what)
  const inserted = await insert()
  const limit = limits[`${what}Max`]
  if (before >= limit && (await countThings(tx, workspaceId, what)) > before)
    throw shapeError([{ path: '', rule: `room.${what}`, limit }])
  return inserted
}
