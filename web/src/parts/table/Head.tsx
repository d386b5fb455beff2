/** The head of a list: names of columns, some of which sort it, and a box that selects all rows. */
import { Checkbox, UnstyledButton } from '@mantine/core'
import type { Table } from '@tanstack/react-table'
import { useTranslation } from 'react-i18next'
import classes from '../Listing.module.css'
import { Icon } from '../Icon.tsx'
import { nameOf, type Column, type Features } from './columns.ts'
import type { SelectAll } from './selection.tsx'
import type { Sorting } from './sorting.ts'

export interface HeadProps<Item extends object> {
  table: Pick<Table<Features, Item>, 'getVisibleLeafColumns'>
  columns: readonly Column<Item>[]
  sorting: Sorting | undefined
  /** Absent: nothing is selected here. */
  selectAll: SelectAll | undefined
}

export function Head<Item extends object>(props: HeadProps<Item>) {
  const { table, columns, sorting, selectAll } = props
  const { t } = useTranslation('shell')
  const shown = new Set(table.getVisibleLeafColumns().map(({ id }) => id))
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {selectAll && (
          <th role="columnheader" scope="col" className={classes.box}>
            <Checkbox size="md" aria-label={t('selectAll')} {...selectAll} />
          </th>
        )}
        {columns
          .filter((column) => shown.has(nameOf(column)))
          .map((column) => (
            <th
              key={nameOf(column)}
              role="columnheader"
              scope="col"
              data-wide-only={column.wideOnly}
              style={{ width: column.width, textAlign: column.align }}
              {...(sorting && column.sort === sorting.by && { 'aria-sort': direction(sorting) })}
            >
              {sorting && column.sort !== undefined ? (
                <SortButton by={column.sort} header={column.header} sorting={sorting} />
              ) : (
                column.header
              )}
            </th>
          ))}
      </tr>
    </thead>
  )
}

const direction = ({ isDescending }: Sorting): 'descending' | 'ascending' =>
  isDescending ? 'descending' : 'ascending'

function SortButton({ by, header, sorting }: { by: string; header: string; sorting: Sorting }) {
  const isSorted = sorting.by === by
  return (
    <UnstyledButton
      className={classes.sort}
      onClick={() => sorting.set(by, isSorted && !sorting.isDescending)}
    >
      {header}
      <Icon name={!isSorted ? 'choose' : sorting.isDescending ? 'down' : 'up'} size={13} />
    </UnstyledButton>
  )
}
