/** What the audit log shows, as the page's address says it, and how many entries that are. */
import { acts } from 'virtual:contract'
import type { InputOf } from '../../../../src/contract/operations.ts'
import { useAsk } from '../../api/use-ask.ts'
import { usePeriod } from '../../parts/table/period.ts'
import type { Total } from '../../parts/table/say-total.ts'
import { useFilter } from '../../parts/use-filter.ts'

/** Filters nothing. */
export const noAuditFilter = { act: '', who: '', days: '', from: '', to: '' }

export function useAuditView(): {
  query: Omit<InputOf<'exportAudit'>['query'], 'format'>
  total: Total | undefined
} {
  const [actFilter] = useFilter('act')
  const [who] = useFilter('who')
  const { since, until } = usePeriod()
  const act = acts.find((known) => known === actFilter)
  const query = {
    ...(act && { act }),
    ...(who !== '' && { who }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  }
  const { data: total } = useAsk('countAudit', { query })
  return { query, total }
}
