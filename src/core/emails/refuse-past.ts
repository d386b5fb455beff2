/** A message cannot be scheduled for a time that has passed, save that the call repeats one that was in time (semantics 1: replay). */
import { findIdempotencyKey } from '../../db/idempotency-keys.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import type { EmailToSend } from './read-email.ts'
import { isPast } from './read-time.ts'

/** With a key that is taken, admission answers: the same message again, or that the key was used with another content. */
export async function refusePast(
  ctx: CallContext,
  call: { emails: EmailToSend[]; idempotency: { key: string } | null; pathOf: (index: number) => string },
): Promise<void> {
  const now = ctx.clock.now()
  const past = call.emails.findIndex((email) => isPast(email.scheduledAt, now))
  if (past === -1) return
  if (call.idempotency && (await findIdempotencyKey(ctx.db, ctx.workspaceId, call.idempotency.key))) return
  throw shapeError([{ path: call.pathOf(past), rule: 'in_the_past' }])
}
