/** How many contacts the list has: from the totals, or counted where a text or conditions narrow it. */
import type { SubscriberStatus } from '../../../../src/contract/subscribers.ts'
import type { CallInput } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import type { Total } from '../../parts/table/say-total.ts'
import { subscriberStatuses } from './words.ts'

type Filter = NonNullable<CallInput<'countFilteredContacts'>['query']>

export function useTotals(query: Filter): {
  total: Total | undefined
  /** Null: of all. */
  ofStatus: (status: SubscriberStatus | null) => Total | undefined
} {
  const { data: totals } = useAsk('getAudienceTotals')
  const isNarrowed = [query.q, query.segment, query.definition].some((part) => part !== undefined)
  const { data: counted } = useAsk('countFilteredContacts', { query }, { enabled: isNarrowed })
  const ofStatus = (status: SubscriberStatus | null): Total | undefined => {
    if (!totals) return undefined
    const chosen = status === null ? subscriberStatuses : [status]
    return { count: chosen.reduce((sum, name) => sum + totals.statuses[name], 0), more: false }
  }
  return { total: isNarrowed ? counted : ofStatus(query.status ?? null), ofStatus }
}
