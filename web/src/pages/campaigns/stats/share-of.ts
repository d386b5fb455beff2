/**
 * A part of a total between 0 and 1; a process of the previous version may count more than all.
 * Null if there is nothing to divide.
 */
export const shareOf = (part: number, total: number): number | null =>
  total === 0 ? null : Math.min(1, part / total)
