/** DELETE /audience/fields/{key}: deletes a custom field that no subscriber has a value for. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { segmentsWithField } from '../../../db/audience/segments/segments.ts'
import { deleteField, fieldOf } from '../../../db/audience/subscriber-fields.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { findPage } from '../subscribers/search-subscribers.ts'
import { presentField } from './list-subscriber-fields.ts'
import type { Verb } from '../../verb.ts'

export const deleteSubscriberField: Verb<'deleteSubscriberField'> = async (
  ctx,
  { params: { key } },
) => {
  const field = existing(await fieldOf(ctx.db, ctx.workspaceId, key), { key })
  const segments = await segmentsWithField(ctx.db, ctx.workspaceId, field.id)
  if (segments.length > 0)
    throw new ApiError('conflict', { reason: 'field_in_segments', key, segments })
  const { rows, next } = await findPage(ctx, {
    workspaceId: ctx.workspaceId,
    filter: { field: key },
    max: 1,
    before: null,
  })
  if (rows.length > 0 || next !== null)
    throw new ApiError('conflict', { reason: 'field_in_use', key })
  const row = await ctx.db.transaction(async (tx) => {
    await recordAuditEntry(tx, ctx, { act: 'field.deleted', subject: key })
    return deleteField(tx, ctx.workspaceId, key)
  })
  if (!row) throw new ApiError('not_found', { key })
  return { body: presentField(row) }
}
