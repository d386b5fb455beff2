/** Quantiles of the measured times, and the limit that the pages promise. */

/** The limit in milliseconds for every page of a workspace with a million subscribers. */
export const pageLimitMs = 200

export const quantile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN

export const round = (number: number, digits = 2): number => Number(number.toFixed(digits))

/** As it stands behind a figure that ought to be below the limit. */
export const verdict = (ms: number): string =>
  ms < pageLimitMs ? `under ${pageLimitMs} ms` : `OVER ${pageLimitMs} ms`
