/** Keeps the number of a workspace's things within its bound: one rule for every operation that creates one. */
import { limits } from '../contract/limits.ts'
import type { Database } from '../db/connect.ts'
import { countOf, lockRoom } from '../db/room.ts'
import type { Counted } from '../db/room.ts'
import { shapeError } from './dispatch/judge-shape.ts'

/**
 * Runs `insert` in the caller's transaction. Throws `validation_error` with the rule `room.<what>` when it added one beyond the bound;
 * an insert that only changes an existing entry always passes.
 */
export async function withinRoom<T>(tx: Database, workspaceId: number, what: Counted, insert: () => Promise<T>): Promise<T> {
  await lockRoom(tx, workspaceId)
  const before = await countOf(tx, workspaceId, what)
  const inserted = await insert()
  const limit = limits[`${what}Max`]
  if (before >= limit && (await countOf(tx, workspaceId, what)) > before)
    throw shapeError([{ path: '', rule: `room.${what}`, limit }])
  return inserted
}
