/** PATCH /audience/{id}: changes names, tags and fields of a subscriber in any status. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { makeTags } from '../../../db/audience/subscriber-fields.ts'
import { editSubscriberRow, subscriberById } from '../../../db/audience/subscribers.ts'
import { refuseControls } from '../../input/check-values.ts'
import { defineFields } from '../fields/define-fields.ts'
import { checkFieldValues } from '../fields/field-values.ts'
import { recordManualChange } from './record-manual-change.ts'
import { readSubscriber, refuseTagsLeftOut } from './read-subscriber.ts'
import { publishSubscriberChanges } from '../../events/subscriber-events.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import type { Verb } from '../../verb.ts'

export const editSubscriber: Verb<'editSubscriber'> = async (ctx, { params, body }) => {
  const { db, workspaceId } = ctx
  const known = existing(await subscriberById(db, workspaceId, params.id), { id: params.id })
  const { add_tags: added = [], remove_tags: removed = [], ...rest } = body
  removed.forEach((tag, index) => refuseControls(tag, `remove_tags.${index}`))
  const input = readSubscriber({ ...rest, email: known.email, tags: added })
  await checkFieldValues(ctx, input.fields)
  const used = Object.keys(input.fields).filter((key) => input.fields[key] !== '')
  const { row, pending } = await db.transaction(async (tx) => {
    const edited = await editSubscriberRow(tx, workspaceId, { ...input, id: params.id, removed })
    if (edited) refuseTagsLeftOut(input.tags, edited.tags)
    await defineFields(tx, workspaceId, used)
    if (input.tags.length > 0) await makeTags(tx, workspaceId, input.tags)
    if (edited)
      await recordManualChange(ctx, tx, {
        act: 'subscriber.edited',
        id: params.id,
        parts: Object.keys(body),
      })
    const updated = edited ? [edited] : []
    return { row: edited, pending: await publishSubscriberChanges(tx, workspaceId, { updated }) }
  })
  if (!row) throw new ApiError('not_found', { id: params.id })
  ctx.wake('subscribers')
  if (pending > 0) ctx.wake('webhook')
  return { body: presentSubscriber(row) }
}
