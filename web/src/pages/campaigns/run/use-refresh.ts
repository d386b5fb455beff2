/**
 * Reads again what the pages show: a changed campaign changes its own pages, the list and the
 * overview. Its check stays: a campaign that has left needs none.
 */
import { useQueryClient } from '@tanstack/react-query'

export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'preflightDraft' })
}
