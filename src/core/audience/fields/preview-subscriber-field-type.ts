/** POST /audience/fields/{key}/type/preview: counts the values that would not fit a type. */
import { existing } from '../../../contract/errors.ts'
import { fieldOf } from '../../../db/audience/subscriber-fields.ts'
import { countMisfits, someMisfits } from '../../../db/audience/typed-values.ts'
import { readFieldType } from './read-field-type.ts'
import type { Verb } from '../../verb.ts'

const sampleMax = 10

export const previewSubscriberFieldType: Verb<'previewSubscriberFieldType'> = async (
  { db, workspaceId },
  { params: { key }, body },
) => {
  const field = { key, ...readFieldType(body) }
  existing(await fieldOf(db, workspaceId, key), { key })
  const found = await db.transaction(async (tx) => {
    const counts = await countMisfits(tx, workspaceId, field)
    const sample = counts.misfits === 0 ? [] : await someMisfits(tx, workspaceId, field, sampleMax)
    return { ...counts, sample }
  })
  return { body: { object: 'subscriber_field_preview', key, type: field.type, ...found } }
}
