/** DELETE /senders/{id}: removes a sender. Mail that was sent stays as it was. */
import { ApiError, existing } from '../../contract/errors.ts'
import { countPlannedFrom, deleteSender, lockSenders } from '../../db/workspaces/senders.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'

/**
 * Refused while it is needed: a scheduled campaign would fail when it is due, and confirmations
 * need a chosen sender.
 */
export const removeSender: Verb<'removeSender'> = (ctx, { params: { id } }) => {
  const { workspaceId } = ctx
  return ctx.db.transaction(async (tx) => {
    const senders = await lockSenders(tx, workspaceId)
    const sender = existing(senders.find((row) => row.id === id))
    if (sender.default && senders.length > 1)
      throw new ApiError('conflict', { reason: 'default_sender' })
    const campaigns = await countPlannedFrom(tx, workspaceId, sender.email)
    if (campaigns > 0) throw new ApiError('conflict', { reason: 'planned_campaigns', campaigns })
    await deleteSender(tx, workspaceId, id)
    await recordAuditEntry(tx, ctx, { act: 'sender.removed', subject: sender.email })
    return { body: { object: 'sender', id, removed: true } }
  })
}
