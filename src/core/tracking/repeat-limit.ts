/**
 * Limits repeated requests from one network for the pixel or link of one recipient, which no human
 * makes; real opens still count. A relay or an office serves thousands of recipients from one
 * network, and the first requests of each are stored.
 */
import type { Clock } from '../../ground/clock.ts'

/** Requests that are stored per minute from one network, for one pixel or link of one recipient. */
const repeatsMax = 20
const windowMs = 60_000
/**
 * Beyond this number of entries nothing is limited until the minute is over, so that memory stays
 * bounded.
 */
const rememberedMax = 100_000

/**
 * Whether a request is within bounds; `name` is its network, recipient and target. Each process
 * counts for itself.
 */
export function createRepeatLimit(clock: Pick<Clock, 'monotonicMs'>): (name: string) => boolean {
  let engagements = new Map<string, number>()
  let endsAtMs = 0
  return (name) => {
    const nowMs = clock.monotonicMs()
    if (nowMs >= endsAtMs) {
      engagements = new Map()
      endsAtMs = nowMs + windowMs
    }
    const before = engagements.get(name) ?? 0
    if (before > 0 || engagements.size < rememberedMax) engagements.set(name, before + 1)
    return before < repeatsMax
  }
}
