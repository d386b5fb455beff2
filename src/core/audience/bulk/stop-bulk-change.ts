/** POST /audience/bulk/{id}/stop: ends a change of many contacts. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { bulkChangeById, stopStoredBulkChange } from '../../../db/audience/bulk/bulk-changes.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'
import { dropFrozen } from './drop-frozen.ts'
import { presentBulkChange } from './present-bulk-change.ts'

export const stopBulkChange: Verb<'stopBulkChange'> = async (ctx, { params: { id } }) => {
  const row = await ctx.db.transaction(async (tx) => {
    const isStopped = await stopStoredBulkChange(tx, ctx.workspaceId, id)
    const stored = existing(await bulkChangeById(tx, ctx.workspaceId, id), { id })
    if (!isStopped) throw new ApiError('conflict', { reason: 'not_running', status: stored.state })
    if (stored.state === 'stopped') await dropFrozen(tx, ctx.workspaceId, { id, among: null })
    await recordAuditEntry(tx, ctx, {
      ...{ act: 'subscribers.stopped', subject: '', details: { id, changed: stored.changed } },
    })
    return stored
  })
  return { body: presentBulkChange(row) }
}
