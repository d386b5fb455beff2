/**
 * Chooses how many rows each statement of a page scans, so that the page answers in time on a busy
 * machine.
 */

/**
 * How long one page searches for rare matches before it answers with what it has, in milliseconds.
 */
const budgetMs = 100

export interface StretchSizes {
  /** The size of the first statement, when no pace is known. */
  first: number
  max: number
}

/**
 * Returns the next size, from the time that the previous statement took. Null if the time is used
 * up.
 */
export function paceStretches(
  nowMs: () => number,
  { first, max }: StretchSizes,
): () => number | null {
  const endsAt = nowMs() + budgetMs
  let size = 0
  let beganAt = 0
  return () => {
    const now = nowMs()
    if (size === 0) size = first
    else {
      const left = endsAt - now
      if (left <= 0) return null
      // Uses half of the time left, so that a slower stretch still ends in time.
      const fitting = (size / Math.max(now - beganAt, 1)) * (left / 2)
      // A stretch too small for its statement is left to the next page.
      if (fitting < first / 4) return null
      size = Math.floor(Math.min(size * 4, fitting, max))
    }
    beganAt = now
    return size
  }
}
