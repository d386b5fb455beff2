/**
 * Has everything read again that is shown: a campaign that moved changes its pages, the list, and the overview. Not its check: what
 * left is not checked any more.
 */
import { useQueryClient } from '@tanstack/react-query'

export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'preflightDraft' })
}
