/** POST /audience/fields/{key}/type/preview: counts the values that would not fit a type. */
import { existing } from '../../../contract/errors.ts'
import { fieldOf } from '../../../db/audience/subscriber-fields.ts'
import { previewType } from '../../../db/audience/typed-values.ts'
import { readFieldType } from './read-field-type.ts'
import type { Verb } from '../../verb.ts'

const sampleMax = 10

export const previewSubscriberFieldType: Verb<'previewSubscriberFieldType'> = async (
  { db, workspaceId },
  { params: { key }, body },
) => {
  const field = { key, ...readFieldType(body) }
  existing(await fieldOf(db, workspaceId, key), { key })
  const result = await db.transaction((tx) => previewType(tx, workspaceId, field, sampleMax))
  return { body: { object: 'subscriber_field_preview', key, type: field.type, ...result } }
}
