/** PATCH /audience/fields/{key}: changes a custom field's label on the pages; its key stays. */
import { existing } from '../../../contract/errors.ts'
import { labelField } from '../../../db/audience/subscriber-fields.ts'
import { refuseMisleading } from '../../input/check-values.ts'
import { presentField } from './list-subscriber-fields.ts'
import type { Verb } from '../../verb.ts'

export const renameSubscriberField: Verb<'renameSubscriberField'> = async (
  ctx,
  { params: { key }, body: { label } },
) => {
  if (label !== null) refuseMisleading(label, 'label')
  const row = existing(await labelField(ctx.db, ctx.workspaceId, key, label), { key })
  return { body: presentField(row) }
}
