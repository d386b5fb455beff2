/** POST /audience/fields: defines a custom field before any subscriber has a value for it. */
import { ApiError } from '../../../contract/errors.ts'
import { fieldOf, labelField, setFieldType } from '../../../db/audience/subscriber-fields.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { refuseMisleading } from '../../input/check-values.ts'
import { defineFields } from './define-fields.ts'
import { presentField } from './list-subscriber-fields.ts'
import { readFieldType } from './read-field-type.ts'
import type { Verb } from '../../verb.ts'

export const defineSubscriberField: Verb<'defineSubscriberField'> = async (
  ctx,
  { body: { key, label = null, ...typed } },
) => {
  if (label !== null) refuseMisleading(label, 'label')
  const type = readFieldType(typed)
  const row = await ctx.db.transaction(async (tx) => {
    if (await fieldOf(tx, ctx.workspaceId, key))
      throw new ApiError('conflict', { reason: 'field_exists', key })
    await defineFields(tx, ctx.workspaceId, [key])
    await recordAuditEntry(tx, ctx, { act: 'field.defined', subject: key })
    await setFieldType(tx, ctx.workspaceId, { key, ...type })
    return labelField(tx, ctx.workspaceId, key, label)
  })
  if (!row) throw new ApiError('conflict', { reason: 'changed_meanwhile', key })
  return { body: presentField(row) }
}
