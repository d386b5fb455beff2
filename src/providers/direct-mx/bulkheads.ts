/**
 * Shares the places of a process among classes of destinations: slow ones hold their share and no
 * more, however many they are (docs/decisions/0064-bulkheads.md).
 *
 *   quick it answers, and soon slow it has answered, but takes seconds for a message, or says
 *   nothing now unknown it has not answered this process yet, cannot be reached, or its name
 *   servers take long
 *
 * A destination's class changes while it holds envelopes, so they are counted again and again. In
 * between only entries count.
 */
import type { Clock } from '../../ground/clock.ts'

export type DestinationClass = 'quick' | 'slow' | 'unknown'

/**
 * Envelopes in flight. Together they are less than a process holds (entrypoints/workers/slots.ts).
 */
const slotsMax: Record<DestinationClass, number> = { quick: 256, slow: 64, unknown: 288 }
/**
 * Unknown destinations turn quick as a rule: the first envelopes of the others count as those of
 * quick ones.
 */
const asQuick = 16
/** From this part on it is crowded: each unknown destination then holds one envelope at a time. */
const crowdedShare = 1 / 8
/** From this part on, conversations that have been silent for long are given up. */
const fullShare = 0.75
const countedMs = 100

export class Bulkheads {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #count: () => Record<'slow' | 'unknown', number>
  #held = { slow: 0, unknown: 0 }
  #countedAtMs = -Infinity

  /** `count`: what slow and unknown destinations hold now. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, count: () => Record<'slow' | 'unknown', number>) {
    this.#clock = clock
    this.#count = count
  }

  /** Places for quick destinations that are free, when `inside` envelopes are in flight in all. */
  free(inside: number): number {
    const { slow, unknown } = this.#heldNow()
    const others = Math.max(0, slow + unknown - asQuick)
    return Math.max(0, Math.min(slotsMax.quick, slotsMax.quick - (inside - others)))
  }

  /**
   * Whether one more envelope of the class may enter. Quick destinations are limited by `free()`.
   */
  hasRoom(of: DestinationClass): boolean {
    return of === 'quick' || this.#heldNow()[of] < slotsMax[of]
  }

  /** Counts an envelope that enters. */
  enter(of: DestinationClass): void {
    if (of !== 'quick') this.#held[of]++
  }

  get isCrowded(): boolean {
    return this.#heldNow().unknown >= slotsMax.unknown * crowdedShare
  }

  get isNearlyFull(): boolean {
    return this.#heldNow().unknown >= slotsMax.unknown * fullShare
  }

  #heldNow(): { slow: number; unknown: number } {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#countedAtMs >= countedMs) {
      this.#countedAtMs = nowMs
      this.#held = this.#count()
    }
    return this.#held
  }
}
