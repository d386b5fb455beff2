/**
 * Decides for reads what has expired by the age of its class, and since when. They decide by age
 * alone, so that an answer does not depend on when the rows are deleted, and is the same
 * afterwards.
 */
import { ApiError } from '../../contract/errors.ts'
import type { RetentionClassName } from '../../contract/retention.ts'
import type { Database } from '../../database/client/database.ts'
import type { MessageRow } from '../../db/messages/messages.ts'
import { workspaceRetention, type RetentionLimit } from '../../db/retention/retention-limits.ts'
import { isId, timeOfId } from '../../ground/ids.ts'
import { rfc3339 } from '../input/read-time.ts'

const dayMs = 86_400_000

/** When data of this age expired (RFC 3339). Null if it has not. */
export function expiredAt(
  { days, before, goneBefore, changedAt }: RetentionLimit,
  at: Date,
): string | null {
  if (before === null || at >= before) return null
  const byAge = days === null ? Infinity : at.getTime() + days * dayMs
  const byChange =
    goneBefore !== null && changedAt !== null && at < goneBefore ? changedAt.getTime() : Infinity
  return rfc3339(Math.min(byAge, byChange))
}

/**
 * The age of a message counts from when its last recipient was finished. Null if one is not, and
 * nothing of it expires.
 */
export function finishedAt({
  createdAt,
  recipients,
}: Pick<MessageRow, 'createdAt' | 'recipients'>): Date | null {
  if (recipients.some(({ state }) => state !== 'settled')) return null
  const ends = recipients.map(({ settledAt, sentAt }) => Date.parse(settledAt ?? sentAt ?? '') || 0)
  return new Date(Math.max(createdAt.getTime(), ...ends))
}

/** The refusal of a read that comes too late: `not_found` with the reason `expired`. */
export const expiredError = (id: string, { days }: RetentionLimit, since: string): ApiError =>
  new ApiError('not_found', {
    id,
    reason: days === null ? 'expired_earlier' : 'expired',
    expiredAt: since,
    days,
  })

/** Throws the same where the object of this age has expired. */
export function refuseExpired(
  limit: RetentionLimit,
  { id, at }: { id: string; at: Date | null },
): void {
  const since = at && expiredAt(limit, at)
  if (since) throw expiredError(id, limit, since)
}

/**
 * Why there is no such object: its identifier is of a time whose data has expired, or nothing ever
 * had it.
 */
export function absentOrExpired(
  limit: RetentionLimit,
  { id, uuid = id }: { id: string; uuid?: string | null },
): ApiError {
  const since = uuid !== null && isId(uuid) ? expiredAt(limit, new Date(timeOfId(uuid))) : null
  return since ? expiredError(id, limit, since) : new ApiError('not_found', { id })
}

export const limitOf = async (
  ctx: { db: Database; workspaceId: number },
  name: RetentionClassName,
): Promise<RetentionLimit> => (await workspaceRetention(ctx.db, ctx.workspaceId))[name]
