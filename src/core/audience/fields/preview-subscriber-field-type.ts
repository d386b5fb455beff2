/** POST /audience/fields/{key}/type/preview: counts the values that would not fit a type. */
import { existing } from '../../../contract/errors.ts'
import { fieldOf } from '../../../db/audience/subscriber-fields.ts'
import { previewTimeoutMs, previewType } from '../../../db/audience/typed-values.ts'
import { readInTurn } from '../segments/in-turn.ts'
import { readFieldType } from './read-field-type.ts'
import type { Verb } from '../../verb.ts'

const sampleMax = 10

export const previewSubscriberFieldType: Verb<'previewSubscriberFieldType'> = async (
  ctx,
  { params: { key }, body },
) => {
  const { db, workspaceId } = ctx
  const field = { key, ...readFieldType(body) }
  existing(await fieldOf(db, workspaceId, key), { key })
  const result = await readInTurn(ctx, {
    seconds: previewTimeoutMs / 1_000,
    read: (tx) => previewType(tx, workspaceId, field, sampleMax),
  })
  return { body: { object: 'subscriber_field_preview', key, type: field.type, ...result } }
}
