/**
 * POST /emails/{id}/cancel: cancels a scheduled message that no worker has claimed; its quota is
 * given back. What a member cancels is in the audit log, what a key does in the log of calls.
 */
import { cancelMessage } from '../../db/messages/messages.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { changeScheduled } from './change-scheduled.ts'
import type { Verb } from '../verb.ts'

export const cancelEmail: Verb<'cancelEmail', CallContext, 'params'> = async (
  ctx,
  { params: { id } },
) => ({
  body: await changeScheduled(ctx, {
    id,
    async change(tx) {
      await cancelMessage(tx, ctx.workspaceId, id)
      const entry = { act: 'message.canceled', subject: id, details: { message: id } } as const
      if (ctx.user) await recordAuditEntry(tx, ctx, entry)
    },
  }),
})
