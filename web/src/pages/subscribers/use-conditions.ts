/** The conditions of the list's filter, read from the page's address and written there. */
import { getRouteApi } from '@tanstack/react-router'
import type { Condition, SingleCondition } from '../../../../src/contract/segments.ts'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { singleKinds } from '../segments/conditions.ts'
import type { SubscribersView } from './view.ts'
import { sources } from './words.ts'

export const listRoute = getRouteApi('/$slug/subscribers')

/** Addresses of single filters, which stand for a condition each. */
const singleFilters = { tag: '', source: '', field: '', value: '' }
/** The changes of the address that leave no condition. */
export const noConditions = { filters: '', match: '', ...singleFilters }

export interface Conditions {
  conditions: SingleCondition[]
  isAny: boolean
  /** What they are together; null: there are none. */
  definition: Condition | null
  set: (conditions: SingleCondition[], isAny: boolean) => void
}

export function useConditions(): Conditions {
  const view = listRoute.useSearch()
  const change = useChangeFilters()
  const conditions = conditionsOf(view)
  const isAny = view.match === 'any'
  return {
    ...{ conditions, isAny },
    definition: conditions.length === 0 ? null : isAny ? { any: conditions } : { all: conditions },
    set(next, isAnyNow) {
      change({
        filters: next.length === 0 ? '' : JSON.stringify(next),
        match: isAnyNow && next.length > 1 ? 'any' : '',
        ...singleFilters,
      })
    },
  }
}

function conditionsOf({ filters, tag, source, field, value }: SubscribersView): SingleCondition[] {
  const known = sources.find((name) => name === source)
  return [
    ...parse(filters),
    ...(tag === undefined ? [] : [{ tag }]),
    ...(known === undefined ? [] : [{ source: known }]),
    ...(field === undefined
      ? []
      : [value === undefined ? { field, empty: false } : { field, is: value }]),
  ]
}

/** The service refuses what is a condition by name alone. */
function parse(text: string | undefined): SingleCondition[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list.filter(isCondition) : []
  } catch {
    return []
  }
}

const isCondition = (value: unknown): value is SingleCondition =>
  typeof value === 'object' && value !== null && singleKinds.some((kind) => kind in value)
