/** Waits for a request to stop: Ctrl-C, SIGTERM, or the end of the parent process. */
import type { Clock } from '../ground/clock.ts'

export interface StopSignal {
  /** Resolves at the first request to stop, with its name. */
  first: Promise<string>
  /** Requests the same orderly stop after an uncaught error. */
  ask(why: string): void
}

/**
 * In milliseconds. A terminal, npm and our launcher each pass on one Ctrl-C, so repeats within this
 * time count once.
 */
const ECHO_MS = 500

/** `onSecond`: called at a second request, which asks to stop at once. */
export function listenForStopSignals(clock: Clock, onSecond: () => void): StopSignal {
  const { promise, resolve } = Promise.withResolvers<string>()
  let firstAt: number | null = null
  const ask = (why: string): void => {
    if (firstAt === null) {
      firstAt = clock.monotonicMs()
      resolve(why)
    } else if (clock.monotonicMs() - firstAt > ECHO_MS) onSecond()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => ask(signal))
  process.once('disconnect', () => ask('the launcher ended'))
  // The channel to the launcher alone must not keep us running.
  process.channel?.unref()
  return { first: promise, ask }
}
