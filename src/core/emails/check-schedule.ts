/**
 * Checks the scheduled times of messages: in the future, at most a year ahead, by the database's
 * clock (semantics 2).
 */
import { findIdempotencyKey } from '../../db/sending/idempotency-keys.ts'
import { databaseTimeMs } from '../../database/schema/schema-state.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import type { EmailToSend } from '../sending/read-email.ts'
import { isPast, refuseTooFar, scheduleAt } from '../input/read-time.ts'

type Scheduled = Pick<EmailToSend, 'scheduledAt' | 'scheduledIn'>

/**
 * Returns the emails with the instants of times in words. Refuses a past time, unless the call may
 * repeat one that was in time (semantics 1: replay). If the key is taken, admission answers: with
 * the same message, or that the key belongs to other content.
 */
export async function checkSchedule<Email extends Scheduled>(
  ctx: CallContext,
  call: {
    emails: Email[]
    idempotency: { key: string } | null
    pathOf: (index: number) => string
  },
): Promise<Email[]> {
  if (!call.emails.some(isScheduled)) return call.emails
  const now = await databaseTimeMs(ctx.db)
  const emails = call.emails.map((email) => withInstant(email, now))
  const scheduled = emails.flatMap(({ scheduledAt: at }, index) =>
    at === null ? [] : [{ at, path: call.pathOf(index) }],
  )
  for (const { at, path } of scheduled) refuseTooFar(at, now, path)
  const past = scheduled.find(({ at }) => isPast(at, now))
  if (!past) return emails
  if (call.idempotency && (await findIdempotencyKey(ctx.db, ctx.workspaceId, call.idempotency.key)))
    return emails
  throw shapeError([{ path: past.path, rule: 'in_the_past' }])
}

const isScheduled = ({ scheduledAt, scheduledIn }: Scheduled): boolean =>
  scheduledAt !== null || scheduledIn !== undefined

const withInstant = <Email extends Scheduled>(email: Email, now: number): Email =>
  email.scheduledIn === undefined
    ? email
    : { ...email, scheduledAt: scheduleAt({ words: email.scheduledIn }, now) }
