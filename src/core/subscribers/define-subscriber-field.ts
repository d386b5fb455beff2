/** POST /audience/fields: a custom field is defined before anybody has it. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { fieldOf, labelField } from '../../db/subscriber-fields.ts'
import type { CallContext } from '../context.ts'
import { recordAct } from '../people/record-act.ts'
import { refuseControls } from '../refuse-controls.ts'
import { defineFields } from './define-fields.ts'
import { showField } from './list-subscriber-fields.ts'

export async function defineSubscriberField(
  ctx: CallContext,
  { body: { key, label = null } }: InputOf<'defineSubscriberField'>,
): Promise<AnswerOf<'defineSubscriberField'>> {
  if (label !== null) refuseControls(label, 'label')
  const row = await ctx.db.transaction(async (tx) => {
    if (await fieldOf(tx, ctx.workspaceId, key)) throw new ApiError('conflict', { reason: 'field_exists', key })
    await defineFields(tx, ctx.workspaceId, [key])
    await recordAct(tx, ctx, { act: 'field.defined', subject: key })
    return labelField(tx, ctx.workspaceId, key, label)
  })
  if (!row) throw new ApiError('conflict', { reason: 'changed_meanwhile', key })
  return { body: showField(row) }
}
