/** The reads of pages: key, call and paging of each in one place, for the hooks and the cache. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { routes } from 'virtual:contract'
import type { OperationId } from '../../../src/contract/operations.ts'
import { api, type Args, type CallInput, type Got } from './client.ts'
import { slugHere } from './slug-here.ts'

/**
 * All workspaces of a user share the answers about the user; other keys begin with the workspace.
 */
export const readKey = (id: OperationId, input?: unknown): unknown[] => [
  routes[id].entry === 'user' ? null : slugHere(),
  id,
  ...(input === undefined ? [] : [input]),
]

// Each id has its own input and answer, which the generic call below cannot follow; the types of
// `api` are the guarantee.
export const callOf = <Id extends OperationId>(id: Id): ((input?: unknown) => Promise<Got<Id>>) =>
  api[id] as unknown as (input?: unknown) => Promise<Got<Id>>

/** An answer that nobody waits for any more is not read to its end. */
export const readOf = <Id extends OperationId>(id: Id, input?: Args<Id>[0]) =>
  queryOptions({
    queryKey: readKey(id, input),
    queryFn: ({ signal }) => callOf(id)({ ...input, signal }),
  })

/** An item of a list by cursor. */
export type ItemOf<Id extends OperationId> = Got<Id> extends { data: (infer Item)[] } ? Item : never

type Page<Item> = { data: Item[]; has_more: boolean; next_cursor: string }

/** A list page by page, by its cursor; a page of a filter that the reader left is not read either. */
export const listReadOf = <Id extends OperationId>(id: Id, input?: Args<Id>[0]) =>
  infiniteQueryOptions({
    queryKey: readKey(id, input ?? {}),
    queryFn: async ({ pageParam, signal }): Promise<Page<ItemOf<Id>>> => {
      const request = { ...(input as CallInput<Id> & { query?: object }) }
      const query = { ...request.query, ...(pageParam === '' ? {} : { cursor: pageParam }) }
      // The type of an item exists only for operations that answer a page.
      return (await callOf(id)({ ...request, query, signal })) as unknown as Page<ItemOf<Id>>
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last.has_more ? last.next_cursor : undefined),
    // Another filter keeps the rows of the one before until its own are there; another owner of the
    // list (`params`) does not.
    placeholderData: (last, query) =>
      isSameList(query?.queryKey, readKey(id, input ?? {})) ? last : undefined,
  })

/** Keys of lists, which differ in the query alone. */
const isSameList = (before: readonly unknown[] | undefined, now: readonly unknown[]): boolean =>
  before !== undefined && nameList(before) === nameList(now)

const nameList = ([slug, id, input]: readonly unknown[]): string =>
  JSON.stringify([
    slug,
    id,
    typeof input === 'object' && input !== null && 'params' in input ? input.params : null,
  ])
