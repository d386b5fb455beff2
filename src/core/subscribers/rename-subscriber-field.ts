/** PATCH /audience/fields/{key}: changes a custom field's label on the pages; its key stays. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { labelField } from '../../db/subscribers/subscriber-fields.ts'
import type { CallContext } from '../context.ts'
import { refuseControls } from '../input/refuse-controls.ts'
import { presentField } from './list-subscriber-fields.ts'

export async function renameSubscriberField(
  ctx: CallContext,
  { params: { key }, body: { label } }: InputOf<'renameSubscriberField'>,
): Promise<AnswerOf<'renameSubscriberField'>> {
  if (label !== null) refuseControls(label, 'label')
  const row = await labelField(ctx.db, ctx.workspaceId, key, label)
  if (!row) throw new ApiError('not_found', { key })
  return { body: presentField(row) }
}
