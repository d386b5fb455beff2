/**
 * The process's own clock, for texts, logs and waits. The database's clock decides everything that
 * must agree between processes.
 */
export interface Clock {
  /** Wall-clock time. */
  now(): Date
  /**
   * Milliseconds that only grow; the zero is arbitrary. Leases are watched with it, because a wall
   * clock may jump.
   */
  monotonicMs(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, ms)
      signal?.addEventListener('abort', stop, { once: true })
    }),
}

/** Wall-clock time in milliseconds since 1970. */
export const systemTimeMs = (): number => systemClock.now().getTime()

/**
 * Resolves as `work` does, or with null when that takes longer than `ms`; the work then goes on by
 * itself.
 */
export async function waitAtMost<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
): Promise<T | null> {
  const ended = new AbortController()
  const late = clock.sleep(ms, ended.signal).then(
    () => null,
    () => null,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    // With a reason: without one, an exception with its stack would be made each time.
    ended.abort(null)
  }
}

/**
 * Works and rests for `everyMs` in turns until `stopping`; work comes first unless `restsFirst`.
 * Rejects only when `work` does.
 */
export async function repeatEvery(
  clock: Pick<Clock, 'sleep'>,
  {
    everyMs,
    stopping,
    restsFirst = false,
  }: { everyMs: number; stopping: AbortSignal; restsFirst?: boolean },
  work: () => Promise<unknown>,
): Promise<void> {
  if (restsFirst) await clock.sleep(everyMs, stopping).catch(() => undefined)
  while (!stopping.aborted) {
    await work()
    await clock.sleep(everyMs, stopping).catch(() => undefined)
  }
}
