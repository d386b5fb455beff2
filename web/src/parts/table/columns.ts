/** What a list shows of each item, as its pages describe it, and as the table takes it. */
import {
  columnVisibilityFeature,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
} from '@tanstack/react-table'
import type { ReactNode } from 'react'

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
  /**
   * Where a row has two lines: beside the first cell, at the end of the second line (`side`); at its
   * beginning (`second`); without its name (`bare`); or not at all (`hidden`).
   */
  narrow?: 'side' | 'second' | 'bare' | 'hidden'
  /** The list can be sorted by the column under this name: the service has an index for it. */
  sort?: string
  /** The reader may hide the column, or show it where it is hidden at first, under this name. */
  optional?: { name: string; isHidden?: boolean }
}

export const features = tableFeatures({
  columnVisibilityFeature,
  rowSelectionFeature,
  rowSortingFeature,
})
export type Features = typeof features

/** The table names a column by this. */
export const nameOf = <Item>({ optional, sort, header }: Column<Item>): string =>
  optional?.name ?? sort ?? header

export const definitionsOf = <Item extends object>(
  columns: readonly Column<Item>[],
): ColumnDef<Features, Item>[] =>
  columns.map((column) => ({
    id: nameOf(column),
    header: column.header,
    cell: ({ row }) => column.cell(row.original),
    enableSorting: column.sort !== undefined,
    enableHiding: column.optional !== undefined,
  }))
