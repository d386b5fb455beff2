/** One verb for news from every source: stored once, the state forward only, suppression and reputation with it. */
import type { Database } from '../../db/connect.ts'
import { recordFeedback as writeFeedback } from '../../db/feedback.ts'
import type { FeedbackRow, MovedRow } from '../../db/feedback.ts'
import { moveSubscribers } from '../../db/subscribers.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'

/**
 * Records news of one workspace's recipients in one transaction; `alongside` is written with it, all or nothing. When it
 * answers, nothing unclaimed is left for an address that this news suppressed.
 */
export async function recordFeedback(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  news: FeedbackRow[],
  alongside: (tx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<MovedRow[]> {
  const moved = await ctx.db.transaction(async (tx) => {
    await alongside(tx)
    const rows = await writeFeedback(tx, workspaceId, news)
    await moveLeavers(tx, workspaceId, rows)
    return rows
  })
  // Who came in the same moment was not there yet to be moved.
  await moveLeavers(ctx.db, workspaceId, moved)
  for (const row of moved) {
    if (row.status === 'bounced') await settleSuppressed(ctx.db, workspaceId, row.addressKey, 'bounce')
    if (row.status === 'complained') await settleSuppressed(ctx.db, workspaceId, row.addressKey, 'complaint')
  }
  return moved
}

/** Moves the subscribers whom this news closes, each address once: a complaint outranks a bounce. */
export async function moveLeavers(
  db: Database,
  workspaceId: number,
  rows: Pick<MovedRow, 'addressKey' | 'status'>[],
): Promise<void> {
  const leavers = new Map<string, 'bounced' | 'complained'>()
  for (const { addressKey, status } of rows) {
    if (status === 'complained') leavers.set(addressKey, status)
    else if (status === 'bounced' && !leavers.has(addressKey)) leavers.set(addressKey, status)
  }
  const moves = [...leavers].map(([email, becomes]) => ({ email, becomes }))
  if (moves.length > 0) await moveSubscribers(db, workspaceId, moves)
}
