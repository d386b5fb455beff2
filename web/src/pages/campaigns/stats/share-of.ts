/** A part of a total between 0 and 1. Null if there is nothing to divide. */
export const shareOf = (part: number, total: number): number | null =>
  total === 0 ? null : part / total
