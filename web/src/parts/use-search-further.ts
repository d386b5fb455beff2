/**
 * The hook loads further pages of a list until enough items match: rare items take several quick
 * pages.
 */
import { useEffect, useEffectEvent } from 'react'
import type { ListRead } from '../api/use-ask.ts'

type Read = Pick<
  ListRead<unknown>,
  'items' | 'hasMore' | 'isLoadingMore' | 'loadMore' | 'moreError'
>

/**
 * True while the search goes on. A page that fails ends it: the list shows the error, and the
 * reader presses to go on.
 */
export function useSearchFurther(
  { items, hasMore, isLoadingMore, loadMore, moreError }: Read,
  enough: number,
): boolean {
  const continues = hasMore && items.length < enough && moreError === null
  const wants = continues && !isLoadingMore
  const load = useEffectEvent(loadMore)
  // The effect runs once for each answer.
  useEffect(() => {
    if (wants) load()
  }, [wants])
  return continues
}
