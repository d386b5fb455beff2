/** PATCH /emails/{id}: another time for a scheduled message that nobody has begun. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { rescheduleMessage } from '../../db/messages.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { changeScheduled } from './change-scheduled.ts'
import { isPast, readScheduledAt } from './read-time.ts'

export async function updateEmail(ctx: CallContext, { params, body }: InputOf<'updateEmail'>): Promise<AnswerOf<'updateEmail'>> {
  const now = ctx.clock.now()
  const at = readScheduledAt(body.scheduled_at, now, 'scheduled_at')
  if (isPast(at, now)) throw shapeError([{ path: 'scheduled_at', rule: 'in_the_past' }])
  return { body: await changeScheduled(ctx, params.id, (tx) => rescheduleMessage(tx, ctx.workspaceId, params.id, at)) }
}
