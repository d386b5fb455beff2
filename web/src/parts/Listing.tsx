/**
 * A list by cursor is a table where there is room, and cards on a phone; it shows loading,
 * emptiness, failure and more.
 */
import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListRead } from '../api/use-ask.ts'
import { Empty, type EmptyProps } from './Empty.tsx'
import { Failure } from './Failure.tsx'
import classes from './Listing.module.css'
import { PageLink } from './links.tsx'

export interface Column<Item> {
  header: string
  cell: (item: Item) => ReactNode
  /** Any CSS width. Absent if what is left, shared. */
  width?: string
  align?: 'start' | 'end'
  /** The column never breaks its lines: a state, a number, a word of ours. */
  short?: boolean
  /** The list leaves the column out where there is little room. */
  wideOnly?: boolean
}

export type EmptyList = Omit<EmptyProps, 'children'> & { why?: ReactNode }

interface ListingProps<Item> {
  /** Screen readers name the list by this label. */
  label: string
  read: Pick<ListRead<Item>, 'items' | 'isLoading' | 'error' | 'retry'> & Partial<ListRead<Item>>
  columns: readonly Column<Item>[]
  idOf: (item: Item) => string
  /** The first cell leads to this page, such as `emails/123`. */
  linkOf?: (item: Item) => string
  /** The list shows this when it is empty. */
  empty?: EmptyList
}

export function Listing<Item>({ label, read, columns, idOf, linkOf, empty }: ListingProps<Item>) {
  if (read.isLoading) return <Loading />
  if (read.error) return <Failure error={read.error} retry={read.retry} />
  const more = <More read={read} />
  if (read.items.length === 0 && read.moreError) return more
  if (read.items.length === 0 && read.isStale) return <Loading />
  if (read.items.length === 0)
    return <Box className={classes.frame}>{empty && <Empty {...empty}>{empty.why}</Empty>}</Box>
  // The roles are explicit because browsers do not take cards for a table.
  return (
    <Stack>
      <Box className={classes.frame} data-stale={read.isStale} aria-busy={read.isStale}>
        <table role="table" aria-label={label} className={classes.table}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ header, width, align, wideOnly }) => (
                <th
                  key={header}
                  role="columnheader"
                  scope="col"
                  data-wide-only={wideOnly}
                  style={{ width, textAlign: align }}
                >
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {read.items.map((item) => (
              <tr key={idOf(item)} role="row" className={linkOf ? classes.leading : undefined}>
                {columns.map(({ header, cell, align, short, wideOnly }, at) => (
                  <td
                    key={header}
                    role="cell"
                    className={short ? classes.short : undefined}
                    data-header={header}
                    data-wide-only={wideOnly}
                    style={{ textAlign: align }}
                  >
                    <div className={classes.value}>
                      {at === 0 && linkOf ? (
                        <PageLink to={linkOf(item)} className={classes.link}>
                          {cell(item)}
                        </PageLink>
                      ) : (
                        cell(item)
                      )}
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
      {more}
    </Stack>
  )
}

/** The button leads to the next page, or the refusal explains why it did not come. */
function More({
  read: { hasMore, moreError, isLoadingMore = false, loadMore },
}: {
  read: Partial<ListRead<unknown>>
}) {
  const { t } = useTranslation('shell')
  if (!hasMore || !loadMore) return null
  if (moreError) return <Failure error={moreError} retry={loadMore} busy={isLoadingMore} />
  return (
    <Group justify="center">
      <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
        {t('loadMore')}
      </Button>
    </Group>
  )
}

function Loading() {
  const { t } = useTranslation('shell')
  return (
    <Box className={classes.frame} aria-busy="true" role="status" aria-label={t('loading')}>
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
