/**
 * The middle of measured values; of an even number, the higher one. NaN when nothing was measured.
 */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
