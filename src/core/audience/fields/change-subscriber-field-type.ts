/**
 * PATCH /audience/fields/{key}/type: changes the rule by which a field's values are read. No value
 * is written, so that every change can be taken back.
 */
import { existing } from '../../../contract/errors.ts'
import { setFieldType } from '../../../db/audience/subscriber-fields.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { presentField } from './list-subscriber-fields.ts'
import { readFieldType } from './read-field-type.ts'
import type { Verb } from '../../verb.ts'

export const changeSubscriberFieldType: Verb<'changeSubscriberFieldType'> = async (
  ctx,
  { params: { key }, body },
) => {
  const type = readFieldType(body)
  const row = await ctx.db.transaction(async (tx) => {
    const changed = existing(await setFieldType(tx, ctx.workspaceId, { key, ...type }), { key })
    await recordAuditEntry(tx, ctx, {
      act: 'field.type_changed',
      subject: key,
      details: { type: type.type },
    })
    return changed
  })
  return { body: presentField(row) }
}
