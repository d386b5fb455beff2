/** Computes when a domain's records are checked next. */
import type { RecordStatus } from '../../db/domains/domain-records.ts'

const minute = 60
const hour = 60 * minute

/**
 * - DNS did not answer: soon
 * - a record that mail depends on is missing: each hour, until it is back or given up
 * - verified: four times a day
 * - not verified yet: often at first, while a user sets it up, then less and less
 */
export function secondsToNextCheck({
  ageSeconds,
  isVerified,
  isMissing,
  statuses,
}: {
  ageSeconds: number
  isVerified: boolean
  isMissing: boolean
  statuses: RecordStatus[]
}): number {
  if (statuses.includes('unanswered')) return 30 * minute
  if (isMissing) return hour
  const whenYoung = Math.max(2 * minute, ageSeconds / 4)
  // A verified domain with other missing records is checked like a new one.
  if (isVerified)
    return statuses.every((status) => status === 'found') ? 6 * hour : Math.min(6 * hour, whenYoung)
  return Math.min(12 * hour, whenYoung)
}
