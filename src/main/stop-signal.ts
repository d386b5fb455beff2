/** Waits for a request to stop: Ctrl-C, SIGTERM, or the end of the parent process. */
import type { Clock } from '../clock.ts'

export interface StopSignal {
  /** Resolves at the first wish to stop, with its name. */
  first: Promise<string>
  /** A bug that nothing caught asks for the same orderly stop. */
  ask(why: string): void
}

/** A terminal, npm and our own launcher each pass on one Ctrl-C: repeats within this time are that one, in milliseconds. */
const ECHO_MS = 500

/** `onSecond`: a second request means at once. */
export function hearStopSignals(clock: Clock, onSecond: () => void): StopSignal {
  const { promise, resolve } = Promise.withResolvers<string>()
  let firstAt: number | null = null
  const ask = (why: string): void => {
    if (firstAt === null) {
      firstAt = clock.monotonicMs()
      resolve(why)
    } else if (clock.monotonicMs() - firstAt > ECHO_MS) onSecond()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal))
  process.once('disconnect', () => ask('the launcher ended'))
  // The channel to the launcher alone must not keep us running.
  process.channel?.unref()
  return { first: promise, ask }
}
