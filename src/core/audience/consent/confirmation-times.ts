/** Gives confirmations that a program causes many of their times: one after the other. */
import { ApiError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  lockConfirmationPace,
  takeConfirmationTimes,
  type ConfirmationPace,
} from '../../../db/audience/confirmation-pace.ts'

/** The next `count` times of the workspace's queue, in the caller's transaction. */
export async function confirmationTimes(
  tx: Database,
  workspaceId: number,
  count: number,
): Promise<Date[]> {
  if (count === 0) return []
  const { firstAt, perMinute } = await takeConfirmationTimes(tx, workspaceId, count)
  return Array.from(
    { length: count },
    (_, index) => new Date(firstAt.getTime() + Math.round((index * 60_000) / perMinute)),
  )
}

const maxSeconds = limits.confirmationHoursMax * 3_600

/**
 * How many more may join the queue so that each leaves in time. The caller's transaction holds the
 * queue from here on, so that no other one takes the same room.
 */
export async function confirmationRoom(tx: Database, workspaceId: number): Promise<number> {
  const { perMinute, waitSeconds } = await lockConfirmationPace(tx, workspaceId)
  return Math.max(0, Math.floor(((maxSeconds - waitSeconds) * perMinute) / 60) + 1)
}

/** Throws `rate_limit_exceeded` where `ahead` more would let the next one leave too late. */
export function refuseLateConfirmation(
  { perMinute, waitSeconds }: ConfirmationPace,
  ahead: number,
): void {
  const secondsLate = waitSeconds + (ahead * 60) / perMinute - maxSeconds
  if (secondsLate <= 0) return
  const retryAfter = Math.ceil(secondsLate)
  throw new ApiError(
    'rate_limit_exceeded',
    { reason: 'confirmations', limit: limits.confirmationHoursMax, retry_after: retryAfter },
    retryAfter,
  )
}
