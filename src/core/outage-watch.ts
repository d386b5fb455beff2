/**
 * Logs when the database goes away and comes back: one line each, one per minute meanwhile, and no
 * errors that follow from it.
 */
import type { Clock } from '../ground/clock.ts'
import { lostConnection } from '../database/client/database-errors.ts'
import type { DatabaseWatch } from '../database/client/connect.ts'
import type { Log } from '../ground/log.ts'

export interface OutageWatch extends DatabaseWatch {
  /**
   * The log without the error lines of an outage, which are counted. Lines wait until it is clear
   * whether it is one.
   */
  log: Log
  /** Call it when an idle connection broke. */
  broke(failure: Error): void
  /** Starts asking the database once a second while it is away. */
  start(ask: () => Promise<unknown>): void
  stop(): void
}

const askEachMs = 1_000
const lineEachMs = 60_000
/** A success this soon after a lost statement used another connection. */
const calmMs = 1_000

export function watchOutage({ clock, log }: { clock: Clock; log: Log }): OutageWatch {
  const stopping = new AbortController()
  let lostErrors = new WeakSet<object>()
  let ask: () => Promise<unknown> = () => Promise.resolve()
  const watch = { isAway: false }
  let away: { sinceMs: number; saidMs: number; lostMs: number; failures: number } | null = null
  /** Lines about lost statements that wait until the database has answered. */
  let waiting: (() => void)[] | null = null

  const seconds = (sinceMs: number): number => Math.round((clock.monotonicMs() - sinceMs) / 1000)
  /** Asks until the database answers; answers and failures arrive at `answered` and `lost`. */
  const askAgain = async (): Promise<void> => {
    while (watch.isAway) {
      await clock.sleep(askEachMs, stopping.signal)
      await ask().catch(() => undefined)
      if (away && clock.monotonicMs() - away.saidMs >= lineEachMs) {
        away.saidMs = clock.monotonicMs()
        log.error(
          { seconds: seconds(away.sinceMs), failures: away.failures },
          'The database still does not answer',
        )
      }
    }
  }
  const lost = (failure: unknown): void => {
    if (typeof failure === 'object' && failure !== null) lostErrors.add(failure)
    if (stopping.signal.aborted) return
    if (away) away.lostMs = clock.monotonicMs()
    else askOnce(failure).catch(() => undefined)
  }
  /**
   * One query decides whether the database is away or connections were closed, since many may break
   * at once.
   */
  const askOnce = async (failure: unknown): Promise<void> => {
    if (waiting) return
    const lines: (() => void)[] = (waiting = [])
    const sinceMs = clock.monotonicMs()
    const isAnswered = await ask().then(
      () => true,
      (error: unknown) => !lostConnection(error),
    )
    waiting = null
    if (stopping.signal.aborted) return
    if (isAnswered) {
      log.warn({ err: failure }, 'A database connection broke; the pool replaces it')
      lostErrors = new WeakSet()
      for (const say of lines) say()
      return
    }
    const nowMs = clock.monotonicMs()
    away = { sinceMs, saidMs: nowMs, lostMs: nowMs, failures: lines.length }
    watch.isAway = true
    log.error({ err: failure }, 'The database does not answer; mail and calls wait for it')
    await askAgain()
  }
  const answered = (): void => {
    if (!away || clock.monotonicMs() - away.lostMs < calmMs) return
    const { sinceMs, failures } = away
    away = null
    watch.isAway = false
    log.warn({ seconds: seconds(sinceMs), failures }, 'The database answers again')
  }
  const isOfOutage = (error: unknown): boolean =>
    typeof error === 'object' &&
    error !== null &&
    (lostErrors.has(error) || ('cause' in error && isOfOutage(error.cause)))
  const unless =
    (level: 'warn' | 'error') =>
    (fields: object, message: string): void => {
      if (!('err' in fields && isOfOutage(fields.err))) return log[level](fields, message)
      if (away) away.failures++
      else waiting?.push(() => log[level](fields, message))
    }
  return Object.assign<typeof watch, Omit<OutageWatch, 'isAway'>>(watch, {
    log: {
      debug: log.debug.bind(log),
      info: log.info.bind(log),
      warn: unless('warn'),
      error: unless('error'),
    },
    lost,
    answered,
    broke(failure) {
      if (!away && !stopping.signal.aborted) askOnce(failure).catch(() => undefined)
    },
    start: (by) => (ask = by),
    stop: () => stopping.abort(),
  })
}
