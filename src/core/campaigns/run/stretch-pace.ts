/** How many of a long list each statement of a page looks at, so that the page answers in time whatever the machine does besides. */

/** How long one page looks on for what is rare before it answers what it has. */
const budgetMs = 100

export interface StretchSizes {
  /** Of the first statement, which knows nothing of the pace yet. */
  first: number
  most: number
}

/** Answers the size of the next stretch, by how long the one before took; null: what was found has to do. */
export function paceStretches(nowMs: () => number, { first, most }: StretchSizes): () => number | null {
  const endsAt = nowMs() + budgetMs
  let size = 0
  let beganAt = 0
  return () => {
    const now = nowMs()
    if (size === 0) size = first
    else {
      const left = endsAt - now
      if (left <= 0) return null
      // A stretch that is dearer than the one before still ends in time.
      const fitting = (size / Math.max(now - beganAt, 1)) * (left / 2)
      // One that is hardly worth its statement is left to the next page.
      if (fitting < first / 4) return null
      size = Math.floor(Math.min(size * 4, fitting, most))
    }
    beganAt = now
    return size
  }
}
