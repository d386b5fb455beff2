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
  }
}
