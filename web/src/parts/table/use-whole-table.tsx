/**
 * A list that is bounded as a whole, such as keys or members: it is read to its end, so that its
 * rows are searched and sorted on the page.
 */
import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListRead } from '../../api/use-ask.ts'
import { SearchField } from '../SearchField.tsx'
import { useChangeFilters, useFilter } from '../use-filter.ts'
import { useSearchFurther } from '../use-search-further.ts'
import type { Total } from './say-total.ts'
import { useSorting, type Sorting } from './sorting.ts'

/** Rows that are read at most: a longer list is neither searched nor sorted. */
const rowsMax = 1_000

/** A list of more rows has a search. */
const searchedMin = 10

type Read<Item> = Pick<ListRead<Item>, 'items' | 'isLoading' | 'error' | 'retry'> &
  Partial<ListRead<Item>>

interface WholeTable<Item> {
  read: Read<Item>
  total: Total | undefined
  /** Absent while rows are missing. */
  sorting?: Sorting
  search: ReactNode
  /** The search leaves nothing: the list shows this instead of what an empty list says. */
  nothing?: { icon: 'search'; title: string; clear: { label: string; onClick: () => void } }
}

/** `orders`: by the `sort` of a column, what its rows are sorted by. */
export function useWholeTable<Item>(
  read: Read<Item>,
  {
    textOf,
    orders,
  }: { textOf: (item: Item) => string; orders: Record<string, (item: Item) => string> },
): WholeTable<Item> {
  const { t, i18n } = useTranslation('shell')
  const [q] = useFilter('q')
  const change = useChangeFilters()
  const sorting = useSorting(Object.keys(orders), '')
  const { items, hasMore = false, moreError = null, isLoadingMore = false } = read
  const loadMore = read.loadMore ?? (() => undefined)
  useSearchFurther({ items, hasMore, moreError, isLoadingMore, loadMore }, rowsMax)
  const isKnown = !read.isLoading && read.error === null
  const total = isKnown ? { count: items.length, more: hasMore } : undefined
  if (hasMore) return { read, total, search: null }
  const needle = q.toLocaleLowerCase(i18n.language)
  const matching = items.filter((item) =>
    textOf(item).toLocaleLowerCase(i18n.language).includes(needle),
  )
  const shown = sorted(matching, { order: orders[sorting.by], sorting, language: i18n.language })
  return {
    ...{ read: { ...read, items: shown }, total, sorting },
    search: (items.length > searchedMin || q !== '') && (
      <Group>
        <SearchField label={t('searchList')} />
      </Group>
    ),
    ...(q !== '' && {
      nothing: {
        ...{ icon: 'search', title: t('nothingMatches') },
        clear: { label: t('clearSearch'), onClick: () => change({ q: '' }) },
      },
    }),
  }
}

interface SortedBy<Item> {
  order: ((item: Item) => string) | undefined
  sorting: Sorting
  language: string
}

function sorted<Item>(items: Item[], { order, sorting, language }: SortedBy<Item>): Item[] {
  if (!order) return items
  const { compare } = new Intl.Collator(language, { numeric: true })
  const way = sorting.isDescending ? -1 : 1
  return items.toSorted((item, other) => way * compare(order(item), order(other)))
}
