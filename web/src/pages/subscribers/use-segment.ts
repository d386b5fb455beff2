/** The saved segment that the list shows, and the conditions of the list together with it. */
import type { Condition } from '../../../../src/contract/segments.ts'
import { useAsk, type ItemOf } from '../../api/use-ask.ts'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { asGroup } from '../segments/conditions.ts'
import { listRoute, noConditions } from './use-conditions.ts'

export type Segment = ItemOf<'listSegments'>

export function useSegment(): {
  segments: Segment[]
  chosen: Segment | undefined
  /** The address names a segment that is not read yet. */
  isLoading: boolean
  /** Empty: everybody. The conditions of before are not those of the segment. */
  choose: (id: string) => void
} {
  const { segment: id } = listRoute.useSearch()
  const { data, isPending } = useAsk('listSegments')
  const change = useChangeFilters()
  return {
    segments: data?.data ?? [],
    chosen: data?.data.find((segment) => segment.id === id),
    isLoading: id !== undefined && isPending,
    choose: (segment) => change({ ...noConditions, segment, status: '', q: '' }),
  }
}

/** Conditions narrow a segment; null: neither is there. */
export function narrowed(segment: Segment | undefined, own: Condition | null): Condition | null {
  if (segment === undefined) return own
  // The contract says which conditions there are, and the service stores no others.
  const definition = segment.definition as Condition
  if (own === null) return definition
  const group = asGroup(definition)
  return { all: ['all' in group ? group.all : [group], 'all' in own ? own.all : [own]].flat() }
}
