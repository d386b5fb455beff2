/** Gives confirmations that a program causes many of their times: one after the other. */
import type { Database } from '../../../database/client/database.ts'
import { takeConfirmationTimes } from '../../../db/audience/confirmation-pace.ts'

/** The next `count` times of the workspace's queue, in the caller's transaction. */
export async function confirmationTimes(
  tx: Database,
  workspaceId: number,
  count: number,
): Promise<Date[]> {
  if (count === 0) return []
  const { firstAt, perMinute } = await takeConfirmationTimes(tx, workspaceId, count)
  return Array.from(
    { length: count },
    (_, place) => new Date(firstAt.getTime() + Math.round((place * 60_000) / perMinute)),
  )
}
