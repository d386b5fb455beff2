/** Says in the log that the database went and came back: a line for each, one a minute meanwhile, and none for what fails because of it. */
import type { Clock } from '../clock.ts'
import type { DatabaseWatch } from '../db/connect.ts'
import type { Log } from './context.ts'

export interface OutageWatch extends DatabaseWatch {
  /** The same log without the lines about errors of an outage: they are counted. */
  log: Log
  /** Whether the database is away now. */
  isAway(): boolean
  /** A connection at rest broke. */
  broke(failure: Error): void
  /** Has the database asked once a second while it is away. */
  start(ask: () => Promise<unknown>): void
  stop(): void
}

const askEachMs = 1_000
const lineEachMs = 60_000
/** A statement that passes so soon after one that was lost went over another connection. */
const calmMs = 1_000

export function watchOutage({ clock, log }: { clock: Clock; log: Log }): OutageWatch {
  const stopping = new AbortController()
  const lostErrors = new WeakSet<object>()
  let ask: () => Promise<unknown> = () => Promise.resolve()
  let away: { sinceMs: number; saidMs: number; lostMs: number; failures: number } | null = null
  let isAsking = false

  const isAway = (): boolean => away !== null
  const seconds = (sinceMs: number): number => Math.round((clock.monotonicMs() - sinceMs) / 1000)
  /** Asks until the database answers; every answer and failure comes by `answered` and `lost`. */
  const askAgain = async (): Promise<void> => {
    while (isAway()) {
      await clock.sleep(askEachMs, stopping.signal)
      await ask().catch(() => undefined)
      if (away && clock.monotonicMs() - away.saidMs >= lineEachMs) {
        away.saidMs = clock.monotonicMs()
        log.error({ seconds: seconds(away.sinceMs), failures: away.failures }, 'The database still does not answer')
      }
    }
  }
  const lost = (failure: unknown): void => {
    if (typeof failure === 'object' && failure !== null) lostErrors.add(failure)
    const nowMs = clock.monotonicMs()
    if (stopping.signal.aborted) return
    if (away) {
      away.lostMs = nowMs
      return
    }
    away = { sinceMs: nowMs, saidMs: nowMs, lostMs: nowMs, failures: 0 }
    log.error({ err: failure }, 'The database does not answer; mail and calls wait for it')
    askAgain().catch(() => undefined)
  }
  const answered = (): void => {
    if (!away || clock.monotonicMs() - away.lostMs < calmMs) return
    const { sinceMs, failures } = away
    away = null
    log.warn({ seconds: seconds(sinceMs), failures }, 'The database answers again')
  }
  const isOfOutage = (error: unknown): boolean =>
    typeof error === 'object' && error !== null && (lostErrors.has(error) || ('cause' in error && isOfOutage(error.cause)))
  const unless =
    (level: 'warn' | 'error') =>
    (fields: object, message: string): void => {
      if (!('err' in fields && isOfOutage(fields.err))) return log[level](fields, message)
      if (away) away.failures++
    }
  return {
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: unless('warn'),
      error: unless('error'),
    },
    isAway,
    lost,
    answered,
    broke(failure) {
      // All connections break at once: one question tells whether the database is away, or a connection was ended.
      if (away || isAsking || stopping.signal.aborted) return
      isAsking = true
      const askOnce = async (): Promise<void> => {
        await ask().finally(() => (isAsking = false))
        if (!away) log.warn({ err: failure }, 'A database connection broke; the pool replaces it')
      }
      askOnce().catch(() => undefined)
    },
    start: (by) => (ask = by),
    stop: () => stopping.abort(),
  }
}
