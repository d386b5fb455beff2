/** PATCH /emails/{id}: sets another time for a scheduled message that no worker has claimed. */
import { rescheduleMessage } from '../../db/messages/messages.ts'
import { changeScheduled } from './change-scheduled.ts'
import { databaseTimeMs } from '../../database/schema/schema-state.ts'
import { isPast, readScheduleText, refuseTooFar, scheduleAt } from '../input/read-time.ts'
import { shapeError } from '../input/shape-error.ts'
import type { Verb } from '../verb.ts'

export const updateEmail: Verb<'updateEmail'> = async (ctx, { params, body }) => {
  const schedule = readScheduleText(body.scheduled_at, 'scheduled_at')
  const now = await databaseTimeMs(ctx.db)
  const at = scheduleAt(schedule, now)
  refuseTooFar(at, now, 'scheduled_at')
  if (isPast(at, now)) throw shapeError([{ path: 'scheduled_at', rule: 'in_the_past' }])
  const changed = await changeScheduled(ctx, {
    id: params.id,
    change: (tx) => rescheduleMessage(tx, ctx.workspaceId, params.id, at),
  })
  return { body: { ...changed, scheduled_at: at } }
}
