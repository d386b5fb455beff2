/** The saved segment that the list shows; the conditions of the list narrow it. */
import { useAsk, type ItemOf } from '../../api/use-ask.ts'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { listRoute, noConditions } from './use-conditions.ts'

export type Segment = ItemOf<'listSegments'>

export function useSegment(): {
  segments: Segment[]
  /** Undefined: everybody. */
  id: string | undefined
  /** The address names a segment that is not there. */
  isGone: boolean
  /** Empty: everybody. The conditions of before are not those of the segment. */
  choose: (id: string) => void
} {
  const { segment: id } = listRoute.useSearch()
  const { data } = useAsk('listSegments')
  const change = useChangeFilters()
  return {
    ...{ segments: data?.data ?? [], id },
    isGone: id !== undefined && data?.data.every((segment) => segment.id !== id) === true,
    choose: (segment) => change({ ...noConditions, segment, status: '', q: '' }),
  }
}
