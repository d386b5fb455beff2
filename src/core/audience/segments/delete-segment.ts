/** DELETE /audience/segments/{id}: deletes a segment; its contacts stay. */
import { existing } from '../../../contract/errors.ts'
import { deleteStoredSegment, lockSegment } from '../../../db/audience/segments/segments.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'

export const deleteSegment: Verb<'deleteSegment'> = (ctx, { params: { id } }) =>
  ctx.db.transaction(async (tx) => {
    const { name } = existing(await lockSegment(tx, ctx.workspaceId, id), { id })
    await deleteStoredSegment(tx, ctx.workspaceId, id)
    await recordAuditEntry(tx, ctx, { act: 'segment.deleted', subject: name })
    return { body: { object: 'segment', id, deleted: true } }
  })
