/** DELETE /audience/segments/{id}: deletes a segment; its contacts stay. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { deleteStoredSegment, lockSegment } from '../../../db/audience/segments/segments.ts'
import { campaignsWithSegment } from '../../../db/campaigns/campaign-audience.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'

export const deleteSegment: Verb<'deleteSegment'> = (ctx, { params: { id } }) =>
  ctx.db.transaction(async (tx) => {
    const { name } = existing(await lockSegment(tx, ctx.workspaceId, id), { id })
    // Choosing an audience locks its segments, so that no campaign takes it meanwhile.
    const campaigns = await campaignsWithSegment(tx, ctx.workspaceId, id)
    if (campaigns.length > 0)
      throw new ApiError('conflict', { id, reason: 'segment_in_use', campaigns })
    await deleteStoredSegment(tx, ctx.workspaceId, id)
    await recordAuditEntry(tx, ctx, { act: 'segment.deleted', subject: name })
    return { body: { object: 'segment', id, deleted: true } }
  })
