/**
 * The log without a line for each change that a workspace on its way to another cell refuses: one
 * warning a minute counts them.
 */
import type { Clock } from '../ground/clock.ts'
import { refusedByMove } from '../database/client/database-errors.ts'
import type { Log } from '../ground/log.ts'

const lineEachMs = 60_000

/**
 * They come from each call and each round of a worker for as long as the last step of a move takes,
 * and pass by themselves.
 */
export function gatherMoveRefusals({ clock, log }: { clock: Clock; log: Log }): Log {
  let saidMs = -Infinity
  let refusals = 0
  const gather = (error: unknown): void => {
    refusals++
    const nowMs = clock.monotonicMs()
    if (nowMs - saidMs < lineEachMs) return
    saidMs = nowMs
    log.warn(
      { refusals, reason: (error as Error).message },
      'Changes of a workspace that moves to another cell were refused; they are repeated',
    )
    refusals = 0
  }
  const unless =
    (level: 'warn' | 'error') =>
    (fields: object, message: string): void =>
      'err' in fields && refusedByMove(fields.err)
        ? gather(fields.err)
        : log[level](fields, message)
  return {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: unless('warn'),
    error: unless('error'),
  }
}
