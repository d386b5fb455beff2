/** Changes a scheduled message: locks its ledger rows, checks them, then changes them, in one transaction. */
import { ApiError, existing } from '../../contract/errors.ts'
import { retrying, type Database } from '../../db/connection/connect.ts'
import { lockUnbegun, messagesById } from '../../db/messages/messages.ts'
import { isId } from '../../ids.ts'
import type { CallContext } from '../context.ts'
import { presentEmail } from '../presentation/present-email.ts'

/** Throws `not_found`, or `conflict` when the message is not scheduled, has begun to leave or was cancelled. */
export function changeScheduled(
  ctx: CallContext,
  { id, change }: { id: string; change: (tx: Database) => Promise<void> },
): Promise<{ object: 'email'; id: string }> {
  return retrying(() =>
    ctx.db.transaction(async (tx) => {
      const unbegun = isId(id) && (await lockUnbegun(tx, ctx.workspaceId, id))
      const row = existing(isId(id) ? (await messagesById(tx, ctx.workspaceId, [id]))[0] : null, { id })
      if (!unbegun)
        throw new ApiError('conflict', { id, status: presentEmail(row, ctx.settings).last_event, reason: 'not_scheduled' })
      await change(tx)
      return { object: 'email' as const, id }
    }),
  )
}
