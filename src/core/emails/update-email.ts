/** PATCH /emails/{id}: sets another time for a scheduled message that no worker has claimed. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { rescheduleMessage } from '../../db/messages/messages.ts'
import type { CallContext } from '../context.ts'
import { changeScheduled } from './change-scheduled.ts'
import { checkSchedule } from './check-schedule.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'

export async function updateEmail(ctx: CallContext, { params, body }: InputOf<'updateEmail'>): Promise<AnswerOf<'updateEmail'>> {
  const at = rfc3339(readTime(body.scheduled_at, 'scheduled_at'))
  await checkSchedule(ctx, { emails: [{ scheduledAt: at }], idempotency: null, pathOf: () => 'scheduled_at' })
  return { body: await changeScheduled(ctx, params.id, (tx) => rescheduleMessage(tx, ctx.workspaceId, params.id, at)) }
}
