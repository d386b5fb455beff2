/** What the suppression list shows, as the page's address says it, and how many that are. */
import type { InputOf } from '../../../../src/contract/operations.ts'
import { useAsk } from '../../api/use-ask.ts'
import type { Got } from '../../api/client.ts'
import { usePeriod } from '../../parts/table/period.ts'
import type { Total } from '../../parts/table/say-total.ts'
import { useFilter } from '../../parts/use-filter.ts'
import { reasons } from './words.ts'

/** Filters nothing. */
export const noSuppressionFilter = { reason: '', q: '', email: '', days: '', from: '', to: '' }

export interface View {
  query: InputOf<'exportSuppression'>['query']
  /** The whole address that is searched for. */
  address: string | null
  /** How many the list shows. */
  total: Total | undefined
  counts: Got<'countSuppression'> | undefined
  /** All that match and may be removed together. */
  removable: Removable
}

interface Removable {
  filter: InputOf<'liftMatchingSuppressions'>['body']['matching']
  /** Undefined where none may. */
  total: Total | undefined
}

export function useSuppressionView(): View {
  const [reasonFilter] = useFilter('reason')
  const [text] = useFilter('q')
  // Other pages link to the state of an address.
  const [email] = useFilter('email')
  const { since, until } = usePeriod()
  const q = text || email
  const reason = reasons.find((known) => known === reasonFilter)
  const narrowing = {
    ...(q !== '' && { q }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  }
  const { data: counts } = useAsk('countSuppression', { query: narrowing })
  return {
    query: { ...narrowing, ...(reason && { reason }) },
    address: /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(q) ? q : null,
    total: reason && counts ? counts.reasons[reason] : counts,
    counts,
    removable: removableOf(narrowing, { reason, removable: counts?.removable }),
  }
}

function removableOf(
  narrowing: Removable['filter'],
  {
    reason,
    removable,
  }: {
    reason: (typeof reasons)[number] | undefined
    removable: Got<'countSuppression'>['removable'] | undefined
  },
): Removable {
  if (reason === 'manual' || reason === 'bounce')
    return { filter: { ...narrowing, reason }, total: removable?.[reason] }
  if (reason !== undefined || !removable) return { filter: narrowing, total: undefined }
  const { manual, bounce } = removable
  const total = { count: manual.count + bounce.count, more: manual.more || bounce.more }
  return { filter: narrowing, total }
}
