/** When a domain's records are looked at again. */
import type { RecordStatus } from '../../db/domains/domain-records.ts'

const minute = 60
const hour = 60 * minute

/**
 * - DNS did not answer: soon
 * - something that mail goes by is missed: each hour, until it is back or given up
 * - verified: four times a day
 * - not yet: often at first, when somebody is at it, and less and less
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
  // A verified one whose other records are still to come is looked at like a young one.
  if (isVerified) return statuses.every((status) => status === 'found') ? 6 * hour : Math.min(6 * hour, whenYoung)
  return Math.min(12 * hour, whenYoung)
}
