/**
 * The one wait of the tests: they look again and again until what they see is so, and fail with
 * what they saw last.
 */
import { inspect } from 'node:util'

/**
 * The pauses between two looks grow from the one to the other: what comes soon is seen soon, and a
 * slow start is not disturbed.
 */
const [pauseMinMs, pauseMaxMs] = [2, 50]

/**
 * How long something may take that is about to happen: long enough for a busy machine, so that it
 * says nothing about speed.
 */
const patienceMs = 120_000

/** A wait that ended before its condition held: see test/support/test-report.ts. */
class WaitEnded extends Error {
  override name = 'WaitEnded'
}

/** Answers the result of `query` once it is there, or once `isSo` accepts it. */
export async function until<T>(
  query: () => T | Promise<T>,
  isSo: (observed: T) => boolean = Boolean,
  withinMs = patienceMs,
): Promise<NonNullable<T>> {
  let current = await query()
  const came = isSo(current) || (await comes(async () => isSo((current = await query())), withinMs))
  if (!came)
    throw new WaitEnded(`It is not so after ${withinMs / 1000} s; last seen: ${inspect(current)}`)
  return current as NonNullable<T>
}

/** Whether it is so before the time is over, for who reports it otherwise than by failing. */
export async function comes(
  isSo: () => boolean | Promise<boolean>,
  withinMs = patienceMs,
): Promise<boolean> {
  const endsAtMs = performance.now() + withinMs
  for (let pauseMs = pauseMinMs; !(await isSo()); pauseMs = Math.min(pauseMs * 1.5, pauseMaxMs)) {
    if (performance.now() > endsAtMs) return false
    await pause(pauseMs)
  }
  return true
}

/**
 * Whether a promise is settled before the time is over: what hangs is a result, and the test goes
 * on.
 */
export async function completesWithin(
  promise: Promise<unknown>,
  withinMs = patienceMs,
): Promise<boolean> {
  let isSettled = false
  const complete = (): void => void (isSettled = true)
  promise.then(complete, complete)
  return comes(() => isSettled, withinMs)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
