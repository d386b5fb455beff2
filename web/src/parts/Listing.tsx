/**
 * The one table of all lists: it goes on by itself at its end, draws the rows in sight, sorts and
 * selects where a list can, and has two lines a row on a phone. It shows loading, emptiness and
 * failure.
 */
import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useIntersection, useWindowEvent } from '@mantine/hooks'
import { useTable } from '@tanstack/react-table'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListRead } from '../api/use-ask.ts'
import { Empty, type EmptyProps } from './Empty.tsx'
import { Failure } from './Failure.tsx'
import classes from './Listing.module.css'
import { definitionsOf, features, type Column } from './table/columns.ts'
import { Head } from './table/Head.tsx'
import { NarrowHead } from './table/NarrowHead.tsx'
import { Row } from './table/Row.tsx'
import type { Total } from './table/say-total.ts'
import { selectAllOf, useSelection, type Selecting } from './table/selection.tsx'
import type { Sorting } from './table/sorting.ts'
import { useVirtualRows } from './table/use-virtual-rows.ts'

export type { Column } from './table/columns.ts'

export type EmptyList = Omit<EmptyProps, 'children'> & { why?: ReactNode }

type Read<Item> = Pick<ListRead<Item>, 'items' | 'isLoading' | 'error' | 'retry'> &
  Partial<ListRead<Item>>

interface ListingProps<Item, Filter> {
  /** Screen readers name the list by this label. */
  label: string
  read: Read<Item>
  columns: readonly Column<Item>[]
  idOf: (item: Item) => string
  /** The first cell leads to this page, such as `emails/123`. */
  linkOf?: (item: Item) => string
  /** A plain click on it opens the item beside the list. */
  onOpen?: (item: Item) => void
  /** The list shows this when it is empty. */
  empty?: EmptyList
  /** How many items there are, where it is known. */
  total?: Total | undefined
  sorting?: Sorting
  selecting?: Selecting<Item, Filter> | undefined
  /** By name of an optional column: whether it shows. */
  shown?: Record<string, boolean>
}

export function Listing<Item extends object, Filter = never>(props: ListingProps<Item, Filter>) {
  const { read, empty } = props
  if (read.isLoading) return <Loading />
  if (read.error) return <Failure error={read.error} retry={read.retry} />
  if (read.items.length === 0 && read.moreError) return <More read={read} />
  if (read.items.length === 0 && read.isStale) return <Loading />
  // What is rare takes several pages.
  if (read.items.length === 0 && read.hasMore)
    return (
      <Stack>
        <Loading />
        <More read={read} />
      </Stack>
    )
  if (read.items.length === 0)
    return <Box className={classes.frame}>{empty && <Empty {...empty}>{empty.why}</Empty>}</Box>
  return <Rows {...props} />
}

const allShown = {}

function Rows<Item extends object, Filter>({
  label,
  read,
  columns,
  idOf,
  linkOf,
  onOpen,
  total,
  sorting,
  selecting,
  shown = allShown,
}: ListingProps<Item, Filter>) {
  const { items } = read
  const selection = useSelection(selecting)
  const table = useTable({
    ...{ features, data: items, columns: definitionsOf(columns), getRowId: idOf },
    manualSorting: true,
    enableRowSelection: ({ original }) => selecting?.maySelect?.(original) ?? true,
    state: { rowSelection: selection.rows, columnVisibility: shown },
    onRowSelectionChange: selection.change,
  })
  const rows = table.getRowModel().rows
  const {
    body,
    rows: drawn,
    rest,
    measure,
    onFocus,
    onBlur,
  } = useVirtualRows(rows.map(({ id }) => id))
  const selectAll = selecting && selectAllOf(table, selection)
  const head = { table, columns, sorting, selectAll }
  // The roles are explicit because browsers do not take lines on a phone for a table.
  return (
    <Stack>
      <Box className={classes.frame} data-list data-stale={read.isStale} aria-busy={read.isStale}>
        <NarrowHead {...head} sorting={items.length > 1 ? sorting : undefined} />
        <table
          role="table"
          aria-label={label}
          aria-rowcount={rowCount(read, total)}
          className={classes.table}
          data-long={items.length > drawn.length}
          data-selectable={selecting !== undefined}
        >
          <Head {...head} />
          <tbody role="rowgroup" ref={body} onFocus={onFocus} onBlur={onBlur}>
            {drawn.flatMap(({ index, gap }) => {
              const row = rows[index]
              if (!row) return []
              return [
                gap > 0 && <Gap key={`before ${row.id}`} height={gap} />,
                <Row
                  key={row.id}
                  {...{ row, index, columns, measure }}
                  {...(linkOf && { to: linkOf(row.original) })}
                  {...(onOpen && { onOpen: () => onOpen(row.original) })}
                  {...(selecting && { label: selecting.labelOf(row.original) })}
                  isSelected={
                    selection.isAll ? row.getCanSelect() : selection.rows[row.id] === true
                  }
                  onSelect={selection.isAll ? selection.clear : row.getToggleSelectedHandler()}
                />,
              ]
            })}
            {rest > 0 && <Gap height={rest} />}
          </tbody>
        </table>
      </Box>
      <More read={read} />
      {selection.announcement}
      {selection.bar(rows.filter((row) => row.getCanSelect()).length)}
    </Stack>
  )
}

/** The head is a row too. -1: not known (WAI-ARIA 1.2, aria-rowcount). */
function rowCount({ items, hasMore }: Read<unknown>, total: Total | undefined): number {
  if (!hasMore) return items.length + 1
  return total && !total.more ? Math.max(total.count, items.length) + 1 : -1
}

function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden className={classes.gap}>
      <td style={{ height }} />
    </tr>
  )
}

/**
 * Once the reader scrolls, the list asks for the next page before its end is in sight: two screens
 * ahead. Before, a list whose end is out of sight asks for nothing.
 */
const aheadMargin = '0px 0px 200% 0px'

/** The end of the list asks for the next page, or explains why it did not come. */
export function More({ read }: { read: Read<unknown> }) {
  const { t } = useTranslation('shell')
  const { hasMore = false, moreError = null, isLoadingMore = false, loadMore } = read
  const [isScrolled, setScrolled] = useState(false)
  useWindowEvent('scroll', () => setScrolled(true))
  const { ref, entry } = useIntersection({ rootMargin: isScrolled ? aheadMargin : '0px' })
  const wants = hasMore && moreError === null && !isLoadingMore && entry?.isIntersecting === true
  const load = useEffectEvent(() => loadMore?.())
  useEffect(() => {
    if (wants) load()
  }, [wants])
  if (!hasMore || !loadMore) return null
  if (moreError) return <Failure error={moreError} retry={loadMore} busy={isLoadingMore} />
  return (
    <Group ref={ref} justify="center">
      <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
        {t('loadMore')}
      </Button>
    </Group>
  )
}

function Loading() {
  const { t } = useTranslation('shell')
  return (
    <Box
      className={classes.frame}
      data-list
      aria-busy="true"
      role="status"
      aria-label={t('loading')}
    >
      <Stack gap="md" p="md">
        {[90, 75, 84, 68, 80].map((width) => (
          <Skeleton key={width} height={18} width={`${width}%`} />
        ))}
      </Stack>
    </Box>
  )
}

/** A cell that says that there is nothing. */
export function None() {
  return (
    <Text size="md" c="dimmed">
      –
    </Text>
  )
}
