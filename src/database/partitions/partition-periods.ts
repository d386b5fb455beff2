/**
 * The periods of partitions: about ten for a limit, so that rows go at most a tenth of the limit
 * late, and statements and connections open few tables (docs/decisions/0048). Days are those of
 * UTC.
 */

const dayMs = 86_400_000

/** Partitions exist for this long after now, in milliseconds. */
export const leadMs = 7 * dayMs

/** Limits of at most this many days have partitions of days; others, of months. */
const limitInDaysMax = 60

/**
 * Where the period that `atMs` lies in ends, in milliseconds since 1970. `days`: the limit of the
 * class, null without one.
 */
export function endOfPeriod(atMs: number, days: number | null): number {
  const step = periodInDays(days)
  if (step === null) {
    const at = new Date(atMs)
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
  }
  return (Math.floor(atMs / dayMs / step) + 1) * step * dayMs
}

/** How long a period is under a limit in days. Null means a month. */
export const periodInDays = (limit: number | null): number | null =>
  limit === null || limit > limitInDaysMax ? null : Math.max(1, Math.floor(limit / 10))

/** Whether a partition was made under a longer limit than this one. */
export const isLongerThanPeriod = (
  { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
  days: number | null,
): boolean => {
  const step = periodInDays(days)
  return fromMs !== null && toMs !== null && step !== null && toMs - fromMs > step * dayMs
}

/** Such as `message_body_20261124_20261127`; without a beginning `message_body_to_20261124`. */
export const partitionName = (
  table: string,
  { fromMs, toMs }: { fromMs: number | null; toMs: number },
): string => `${table}_${fromMs === null ? 'to' : dayOf(fromMs)}_${dayOf(toMs)}`

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

/** A bound as the key's type has it. */
export function boundOf(ms: number, keyType: 'uuid' | 'timestamptz'): string {
  if (keyType === 'timestamptz') return new Date(ms).toISOString()
  const time = Math.floor(ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
