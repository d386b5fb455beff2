/**
 * These hooks read and act from within pages: `useAsk`, `useList` for lists by cursor, `useAct` for
 * changes, `useReload`.
 */
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryState,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { routes } from 'virtual:contract'
import type { OperationId } from '../../../src/contract/operations.ts'
import { notifyDone } from './notify.ts'
import type { Args, CallInput, Got } from './client.ts'
import { callOf, readKey, listReadOf, readOf, type ItemOf } from './reads.ts'
import { waitMs } from './refusal.ts'
import { slugHere } from './slug-here.ts'

export type { ItemOf } from './reads.ts'

interface AskOptions {
  /**
   * The hook asks again after this many milliseconds while the user sees the page; a function
   * decides by the last answer.
   */
  poll?: number | ((last: unknown) => number | false)
  /** False if the hook does not ask yet. */
  enabled?: boolean
}

/**
 * A page that the user leaves stays until the next one has come; outside of a workspace, it has
 * nothing to ask any more.
 */
const hasAddress = (id: OperationId): boolean => routes[id].entry === 'user' || slugHere() !== null

/**
 * Reads an answer and caches it while the app is open, so that a return to the page shows it at
 * once.
 */
export function useAsk<Id extends OperationId>(
  id: Id,
  input?: Args<Id>[0],
  { poll, enabled = true }: AskOptions = {},
): UseQueryResult<Got<Id>> {
  return useQuery({
    ...readOf(id, input),
    enabled: enabled && hasAddress(id),
    refetchInterval: (query) => pollOf(poll, query),
  })
}

/** The hook polls no sooner than the last refusal allows (`Retry-After`). */
function pollOf(poll: AskOptions['poll'], { state }: Read): number | false {
  const requested = typeof poll === 'function' ? poll(state.data) : (poll ?? false)
  return requested === false ? false : Math.max(requested, waitMs(state.error))
}

/** The state of a query holds its last answer or refusal. */
interface Read {
  state: Pick<QueryState, 'data' | 'error' | 'status' | 'fetchMeta'>
}

const isMoreRefused = ({ state }: Read): boolean =>
  state.status === 'error' && state.fetchMeta?.fetchMore?.direction === 'forward'

export interface ListRead<Item> {
  items: Item[]
  isLoading: boolean
  /** The items are those of the filter before, while those of this one load. */
  isStale: boolean
  error: Error | null
  retry: () => void
  hasMore: boolean
  /** The error of the next page until the reader asks for it again; the earlier pages stay. */
  moreError: Error | null
  loadMore: () => void
  isLoadingMore: boolean
}

/** Converts an answer that holds its whole list into the form that `Listing` reads. */
export const wholeList = <Item>(
  { data, error, isPending, refetch }: UseQueryResult,
  items: Item[] = [],
): Pick<ListRead<Item>, 'items' | 'isLoading' | 'error' | 'retry'> => ({
  items,
  isLoading: isPending,
  error: data === undefined ? error : null,
  retry: () => void refetch(),
})

/** Converts items that came with another answer into the form that `Listing` reads. */
export const knownList = <Item>(
  items: Item[],
): Pick<ListRead<Item>, 'items' | 'isLoading' | 'error' | 'retry'> => ({
  ...{ items, isLoading: false, error: null },
  retry: () => undefined,
})

/**
 * Lists poll only while the reader has one page: further pages would move under the reader's eyes.
 */
export const isFirstPage = (last: unknown): boolean =>
  typeof last === 'object' &&
  last !== null &&
  'pages' in last &&
  Array.isArray(last.pages) &&
  last.pages.length === 1

/** Reads a list page by page, by its cursor. */
export function useList<Id extends OperationId>(
  id: Id,
  input?: Args<Id>[0],
  { poll, enabled = true }: AskOptions = {},
): ListRead<ItemOf<Id>> {
  const read = useInfiniteQuery({
    ...listReadOf(id, input),
    enabled: enabled && hasAddress(id),
    // Reading the beginning again would forget that its next page failed, and `useSearchFurther`
    // would ask for it again.
    refetchInterval: (query) => (isMoreRefused(query) ? false : pollOf(poll, query)),
  })
  return {
    items: read.data?.pages.flatMap((page) => page.data) ?? [],
    isLoading: read.isPending && enabled,
    error: read.data ? null : read.error,
    retry: () => void read.refetch(),
    isStale: read.isPlaceholderData,
    hasMore: read.hasNextPage && !read.isPlaceholderData,
    moreError: read.isFetchNextPageError ? read.error : null,
    loadMore: () => void read.fetchNextPage(),
    isLoadingMore: read.isFetchingNextPage,
  }
}

interface ActOptions<Id extends OperationId> {
  /** The hook reads these again after the operation. */
  refresh?: readonly OperationId[]
  /**
   * Calls of one name follow each other, so that the last one wins: for inputs that save each
   * choice at once. Absent: they run side by side.
   */
  inOrder?: string
  /** The page shows this text for a few seconds after the operation. Null means no text. */
  done?: string | null | ((got: Got<Id>) => string | null)
}

/**
 * Runs an operation that changes something. A second call with the same input
 * during the first one (a double click) gets the answer of the first.
 */
export function useAct<Id extends OperationId>(
  id: Id,
  { refresh = [], done = null, inOrder }: ActOptions<Id> = {},
): UseMutationResult<Got<Id>, Error, CallInput<Id>> {
  const queries = useQueryClient()
  const [underWay] = useState(() => new Map<string, Promise<Got<Id>>>())
  return useMutation({
    ...(inOrder !== undefined && { scope: { id: `${slugHere()} ${id} ${inOrder}` } }),
    mutationFn(input: CallInput<Id>) {
      const key = nameInput(input)
      const requested = underWay.get(key) ?? callOf(id)(input).finally(() => underWay.delete(key))
      underWay.set(key, requested)
      return requested
    },
    async onSuccess(got) {
      await Promise.all(
        refresh.map((each) => queries.invalidateQueries({ queryKey: readKey(each) })),
      )
      const message = typeof done === 'function' ? done(got) : done
      if (message !== null) notifyDone(message)
    },
  })
}

/**
 * Reads `ids` again once the service has finished a change of its own; the caller passes the same
 * list each time.
 */
export function useReload(ids: readonly OperationId[], isDone: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (isDone) for (const id of ids) void queries.invalidateQueries({ queryKey: readKey(id) })
  }, [queries, ids, isDone])
}

/** Equal inputs have equal names; a file goes by its name, size and time. */
const nameInput = (input: unknown): string =>
  JSON.stringify(input, (_, value: unknown) =>
    value instanceof File ? [value.name, value.size, value.lastModified] : value,
  ) ?? ''
