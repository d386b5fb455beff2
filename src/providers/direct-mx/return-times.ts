/**
 * When envelopes that a destination has no room for come again: one after the other, as fast as it
 * has taken them. Single mails and campaigns are scheduled apart, so a list does not delay mail
 * that a caller waits for.
 */

/**
 * The shortest and the longest delay: soon enough to profit when it becomes faster, late enough
 * that long lists do not come back all the time.
 */
const postponedMs = { min: 1_000, max: 1_800_000 }

export type MailKind = 'single' | 'bulk'

export class ReturnTimes {
  readonly #nextMs = { single: 0, bulk: 0 }

  /**
   * Its next answer will show its speed, or its failure. `silentMs`: for how long there has been
   * none.
   */
  soon(silentMs: number): number {
    return Math.max(postponedMs.min, silentMs) * (1 + Math.random())
  }

  /**
   * Milliseconds until the next place. None is before `earliestMs`. `spacingMs`: between two
   * places.
   */
  next(
    kind: MailKind,
    { nowMs, earliestMs, spacingMs }: { nowMs: number; earliestMs: number; spacingMs: number },
  ): number {
    const atMs = Math.max(nowMs + postponedMs.min, earliestMs, this.#nextMs[kind])
    this.#nextMs[kind] = atMs + spacingMs
    if (atMs - nowMs <= postponedMs.max) return atMs - nowMs
    // Without a place of its own before the latest time, an envelope comes at any time until then.
    const min = Math.max(postponedMs.min, earliestMs - nowMs)
    return min + Math.random() * Math.max(0, postponedMs.max - min)
  }

  /** The destination answers again: places begin from now. */
  restart(nowMs: number): void {
    this.#nextMs.single = this.#nextMs.bulk = nowMs
  }
}
