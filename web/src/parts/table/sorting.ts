/** What a list is sorted by, in the page's address: `name`, or `-name` for the other way. */
import { useFilter } from '../use-filter.ts'

export interface Sorting {
  /** The `sort` of a column. */
  by: string
  isDescending: boolean
  set: (by: string, isDescending: boolean) => void
}

/** `standard` is how the list is sorted where its address names nothing that it knows. */
export function useSorting(known: readonly string[], standard: string): Sorting {
  const [named, set] = useFilter('sort')
  const value = known.includes(named.replace(/^-/, '')) ? named : standard
  return {
    by: value.replace(/^-/, ''),
    isDescending: value.startsWith('-'),
    set(by, isDescending) {
      const next = `${isDescending ? '-' : ''}${by}`
      set(next === standard ? '' : next)
    },
  }
}
