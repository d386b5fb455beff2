/**
 * Holds back what no person does: one address that fetches the pixel or the link of one recipient again and again. It costs no
 * real open. A relay or an office that speaks for thousands brings thousands of recipients, and the first visits of each are kept.
 */
import type { Clock } from '../../clock.ts'

/** Visits of one address to one thing of one recipient that are kept in a minute. */
const repeatsMax = 20
const windowMs = 60_000
/** Beyond it nobody is held back until the minute is over: memory has an end, real opens have none. */
const rememberedMax = 100_000

/** Whether a visit is within bounds; `name` is its address, recipient and thing. Each process counts for itself. */
export function createRepeatLimit(clock: Pick<Clock, 'monotonicMs'>): (name: string) => boolean {
  let visits = new Map<string, number>()
  let endsAtMs = 0
  return (name) => {
    const nowMs = clock.monotonicMs()
    if (nowMs >= endsAtMs) {
      visits = new Map()
      endsAtMs = nowMs + windowMs
    }
    const before = visits.get(name) ?? 0
    if (before > 0 || visits.size < rememberedMax) visits.set(name, before + 1)
    return before < repeatsMax
  }
}
