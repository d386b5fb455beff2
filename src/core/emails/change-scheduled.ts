/**
 * Changes a scheduled message: locks its ledger rows, checks them, then changes them, in one
 * transaction.
 */
import { ApiError } from '../../contract/errors.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import { lockUnstarted, messagesById } from '../../db/messages/messages.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import { absentOrExpired, finishedAt, limitOf, refuseExpired } from '../presentation/expiry.ts'
import { presentEmail } from '../presentation/present-email.ts'

/**
 * Throws `not_found`, with `expiredAt` where its line has expired, or `conflict` when the message
 * is not scheduled, has begun to leave or was cancelled.
 */
export function changeScheduled(
  ctx: CallContext,
  { id, change }: { id: string; change: (tx: Database) => Promise<void> },
): Promise<{ object: 'email'; id: string }> {
  return retrying(() =>
    ctx.db.transaction(async (tx) => {
      const unbegun = isId(id) && (await lockUnstarted(tx, ctx.workspaceId, id))
      if (!unbegun) throw await refusalOf({ ...ctx, db: tx }, id)
      await change(tx)
      return { object: 'email' as const, id }
    }),
  )
}

async function refusalOf(
  ctx: Pick<CallContext, 'workspaceId' | 'settings'> & { db: Database },
  id: string,
): Promise<ApiError> {
  const [row] = isId(id) ? await messagesById(ctx.db, ctx.workspaceId, [id]) : []
  const limit = await limitOf(ctx, 'messages')
  if (!row) return absentOrExpired(limit, { id })
  refuseExpired(limit, { id, at: finishedAt(row) })
  return new ApiError('conflict', {
    id,
    status: presentEmail(row, ctx.settings).last_event,
    reason: 'not_scheduled',
  })
}
