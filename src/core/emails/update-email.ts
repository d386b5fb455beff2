/** PATCH /emails/{id}: sets another time for a scheduled message that no worker has claimed. */
import { rescheduleMessage } from '../../db/messages/messages.ts'
import { changeScheduled } from './change-scheduled.ts'
import { checkSchedule } from './check-schedule.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'

export const updateEmail: Verb<'updateEmail'> = async (ctx, { params, body }) => {
  const at = rfc3339(readTime(body.scheduled_at, 'scheduled_at'))
  await checkSchedule(ctx, {
    emails: [{ scheduledAt: at }],
    idempotency: null,
    pathOf: () => 'scheduled_at',
  })
  return {
    body: await changeScheduled(ctx, {
      id: params.id,
      change: (tx) => rescheduleMessage(tx, ctx.workspaceId, params.id, at),
    }),
  }
}
