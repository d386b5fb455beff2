/** Which calls the log shows, as the page's address says it, and how many those are. */
import { requestCodes, requestOutcomes, routes } from 'virtual:contract'
import type { CallInput, Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { usePeriod } from '../../parts/table/period.ts'
import type { Total } from '../../parts/table/say-total.ts'
import { useFilter } from '../../parts/use-filter.ts'

type Query = NonNullable<CallInput<'listRequests'>['query']>

/** Filters nothing. */
export const allRequests = {
  ...{ status: '', code: '', operation: '', key: '', q: '', request: '', message: '' },
  ...{ campaign: '', days: '', from: '', to: '' },
}

/** Programs call these operations. */
export const operationsOfKeys = Object.entries(routes)
  .filter(([, { entry }]) => entry === 'api')
  .map(([id]) => id)

export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export interface RequestView {
  query: Query
  total: Total | undefined
  counts: Got<'countRequestLog'> | undefined
}

export function useRequestView(): RequestView {
  const filter = useRequestFilter()
  const [statusFilter] = useFilter('status')
  const status = requestOutcomes.find((value) => value === statusFilter)
  const { data: counts } = useAsk('countRequestLog', { query: filter }, { poll: 15_000 })
  return {
    query: { ...filter, ...(status && { status }) },
    total: status && counts ? counts.statuses[status] : counts,
    counts,
  }
}

/** What is searched for: an identifier has an index, any other text is part of a name. */
const searched = (text: string): Query =>
  text === '' ? {} : isId(text) ? { request_id: text } : { q: text }

function useRequestFilter(): Omit<Query, 'status'> {
  const [code] = useFilter('code')
  const [operation] = useFilter('operation')
  const [key] = useFilter('key')
  const [q] = useFilter('q')
  // Other pages link to the call of a message.
  const [request] = useFilter('request')
  const [message] = useFilter('message')
  const [campaign] = useFilter('campaign')
  const { since, until } = usePeriod()
  const knownCode = requestCodes.find((value) => value === code)
  return {
    ...searched(q),
    ...(knownCode && { code: knownCode }),
    ...(operationsOfKeys.includes(operation) && { operation }),
    ...(isId(key) && { key }),
    ...(request !== '' && { request_id: request.slice(0, 100) }),
    ...(isId(message) && { message }),
    ...(isId(campaign) && { campaign }),
    ...(since !== undefined && { from: since }),
    ...(until !== undefined && { to: until }),
  }
}
