/**
 * Checks the scheduled times of messages: in the future, at most a year ahead, by the database's
 * clock (semantics 2).
 */
import { findIdempotencyKey } from '../../db/sending/idempotency-keys.ts'
import { databaseTimeMs } from '../../database/schema/schema-state.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import type { EmailToSend } from '../sending/read-email.ts'
import { isPast, refuseTooFar } from '../input/read-time.ts'

/**
 * Refuses a past time, unless the call may repeat one that was in time (semantics 1: replay). If
 * the key is taken, admission answers: with the same message, or that the key belongs to other
 * content.
 */
export async function checkSchedule(
  ctx: CallContext,
  call: {
    emails: Pick<EmailToSend, 'scheduledAt'>[]
    idempotency: { key: string } | null
    pathOf: (index: number) => string
  },
): Promise<void> {
  const scheduled = call.emails.flatMap(({ scheduledAt: at }, index) =>
    at === null ? [] : [{ at, path: call.pathOf(index) }],
  )
  if (scheduled.length === 0) return
  const now = await databaseTimeMs(ctx.db)
  for (const { at, path } of scheduled) refuseTooFar(at, now, path)
  const past = scheduled.find(({ at }) => isPast(at, now))
  if (!past) return
  if (call.idempotency && (await findIdempotencyKey(ctx.db, ctx.workspaceId, call.idempotency.key)))
    return
  throw shapeError([{ path: past.path, rule: 'in_the_past' }])
}
