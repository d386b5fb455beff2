/** A row of a list; where it leads somewhere, its first cell is the link. */
import { Checkbox } from '@mantine/core'
import type { Row as TableRow } from '@tanstack/react-table'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../Listing.module.css'
import { PageLink } from '../links.tsx'
import { nameOf, type Column, type Features } from './columns.ts'

interface RowProps<Item extends object> {
  row: Pick<TableRow<Features, Item>, 'original' | 'getVisibleCells' | 'getCanSelect'>
  /** From 0; the head is the first row for screen readers. */
  index: number
  columns: readonly Column<Item>[]
  to?: string
  /** A plain click opens the item here; another one follows the link. */
  onOpen?: () => void
  /** What the row is, for its checkbox; absent: nothing is selected here. */
  label?: string
  isSelected: boolean
  onSelect: (event: unknown) => void
  measure: (row: HTMLElement | null) => void
}

export function Row<Item extends object>(props: RowProps<Item>) {
  const { row, index, columns, to, onOpen, label, isSelected, onSelect, measure } = props
  const { t } = useTranslation('shell')
  const shown = new Set(row.getVisibleCells().map(({ column }) => column.id))
  return (
    <tr
      role="row"
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      data-selected={isSelected || undefined}
      data-side={columns.some(({ narrow }) => narrow === 'side') || undefined}
      className={to === undefined ? undefined : classes.leading}
    >
      {label !== undefined && (
        <td role="cell" className={classes.box}>
          {row.getCanSelect() && (
            <Checkbox
              size="md"
              aria-label={t('selectRow', { label })}
              checked={isSelected}
              onChange={onSelect}
            />
          )}
        </td>
      )}
      {columns
        .filter((column) => shown.has(nameOf(column)))
        .map((column, at) => (
          <td
            key={nameOf(column)}
            role="cell"
            className={column.short ? classes.short : undefined}
            data-header={column.header}
            data-first={at === 0 || undefined}
            data-wide-only={column.wideOnly}
            data-narrow={column.narrow}
            style={{ textAlign: column.align }}
          >
            <div className={classes.value}>
              {at === 0 && to !== undefined ? (
                <PageLink
                  to={to}
                  className={classes.link}
                  {...(onOpen && { onClick: (event) => openHere(event, onOpen) })}
                >
                  {column.cell(row.original)}
                </PageLink>
              ) : (
                column.cell(row.original)
              )}
            </div>
          </td>
        ))}
    </tr>
  )
}

function openHere(event: MouseEvent, onOpen: () => void): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  onOpen()
}
