/**
 * Prints the progress of long work: a bar that moves on a terminal, a line now and then elsewhere.
 */
import type { CommandContext } from './command.ts'
import { shownNumber } from './result.ts'

export interface ProgressLine {
  /** `share`: from 0 to 1; `done`: how many things are done. */
  show(share: number, done: number): void
}

const width = 24
/** Between two looks of the bar, and between two lines where it cannot move. */
const barMs = 200
const lineMs = 5_000
/** Before this share, what is left cannot be known from what was done. */
const estimatedFrom = 0.05

/** `unit`: what is counted, such as `lines`. */
export function createProgressLine(
  { meter, clock }: Pick<CommandContext, 'meter' | 'clock'>,
  unit: string,
): ProgressLine {
  const began = clock.monotonicMs()
  let shownAt = began
  return {
    show(share, done) {
      const now = clock.monotonicMs()
      if (now - shownAt < (meter.changes ? barMs : lineMs)) return
      shownAt = now
      const seconds = (now - began) / 1000
      const left = share >= estimatedFrom ? (seconds / share) * (1 - share) : null
      const filled = Math.round(share * width)
      const bar = meter.changes ? `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ` : ''
      const rest = left === null ? '' : `, ${duration(left)} left`
      meter.show(`${bar}${Math.floor(share * 100)} %, ${shownNumber(done)} ${unit}${rest}`)
    },
  }
}

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
