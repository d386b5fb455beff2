/**
 * The hook stores one filter in the page's address, so that users can share it, reload it and go
 * back to it.
 */
import { useNavigate, useSearch } from '@tanstack/react-router'

/** The value (empty: not set) and how to change it; `change` puts several at once. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const change = useChangeFilters()
  const value = search[name]
  return [typeof value === 'string' ? value : '', (next) => change({ [name]: next })]
}

/** Empty values leave the address. */
export function useChangeFilters(): (changes: Record<string, string>) => void {
  const navigate = useNavigate()
  return (changes) =>
    void navigate({
      to: '.',
      replace: true,
      search: (before: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(
            ([, value]) => value !== '' && value !== undefined,
          ),
        ),
    })
}
