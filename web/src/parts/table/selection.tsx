/** The rows that a reader selected: these, or all that the list would show. */
import { Box, Button, Group, VisuallyHidden } from '@mantine/core'
import type { RowSelectionState, Table, Updater } from '@tanstack/react-table'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../Listing.module.css'
import type { Features } from './columns.ts'
import { sayTotal, type Total } from './say-total.ts'

export type Selected<Filter> = { ids: string[] } | { matching: Filter; total: Total }

export interface Selecting<Item, Filter> {
  /** Screen readers name the checkbox of a row by this. */
  labelOf: (item: Item) => string
  /** Absent: every row may be selected. */
  maySelect?: (item: Item) => boolean
  /** Another text of this begins a new selection: what the list shows has changed. */
  view: string
  /** What "all that match" stands for; absent: only rows are selected. */
  matching?: { filter: Filter; total: Total | undefined }
  /** What can be done with the selected ones. */
  renderBar: (props: { selection: Selected<Filter>; onDone: () => void }) => ReactNode
}

export interface Selection {
  /** All that match are selected, also those that were not read yet. */
  isAll: boolean
  rows: RowSelectionState
  change: (updater: Updater<RowSelectionState>) => void
  clear: () => void
  /** Says how many are selected; it is there before its words, so that a screen reader says them. */
  announcement: ReactNode
  bar: (read: number) => ReactNode
}

/** The box of a list's head, which selects all rows that may be selected. */
export interface SelectAll {
  checked: boolean
  indeterminate: boolean
  disabled: boolean
  onChange: (event: unknown) => void
}

export function selectAllOf<Item extends object>(
  table: Pick<Table<Features, Item>, 'getRowModel' | 'getToggleAllRowsSelectedHandler'>,
  { isAll, rows, clear }: Selection,
): SelectAll {
  const selectable = table.getRowModel().rows.filter((row) => row.getCanSelect())
  const selected = selectable.filter(({ id }) => rows[id] === true).length
  const checked = isAll || (selected > 0 && selected === selectable.length)
  return {
    ...{ checked, indeterminate: !checked && selected > 0, disabled: selectable.length === 0 },
    onChange: isAll ? clear : table.getToggleAllRowsSelectedHandler(),
  }
}

const nothing = { view: '', rows: {} as RowSelectionState, isAll: false }

export function useSelection<Item, Filter>(
  selecting: Selecting<Item, Filter> | undefined,
): Selection {
  const [state, setState] = useState(nothing)
  const view = selecting?.view ?? ''
  const { rows, isAll } = state.view === view ? state : nothing
  const ids = Object.keys(rows).filter((id) => rows[id])
  const clear = (): void => setState(nothing)
  return {
    ...{ isAll, rows, clear },
    change(updater) {
      const next = typeof updater === 'function' ? updater(rows) : updater
      setState({ view, rows: next, isAll: false })
    },
    announcement: selecting && <Announcement {...{ selecting, ids, isAll }} />,
    bar: (read) =>
      selecting &&
      (isAll || ids.length > 0) && (
        <SelectionBar
          {...{ selecting, ids, isAll, read, clear }}
          selectMatching={() => setState({ view, rows: {}, isAll: true })}
        />
      ),
  }
}

function Announcement<Item, Filter>({
  selecting: { matching },
  ids,
  isAll,
}: Pick<BarProps<Item, Filter>, 'selecting' | 'ids' | 'isAll'>) {
  const { t, i18n } = useTranslation('shell')
  const { count, more } = (isAll ? matching?.total : undefined) ?? {
    count: ids.length,
    more: false,
  }
  return (
    <VisuallyHidden aria-live="polite">
      {count > 0 && t('rowsSelected', { count, number: sayTotal({ count, more }, i18n.language) })}
    </VisuallyHidden>
  )
}

interface BarProps<Item, Filter> {
  selecting: Selecting<Item, Filter>
  ids: string[]
  isAll: boolean
  /** How many rows that may be selected the list has read. */
  read: number
  clear: () => void
  selectMatching: () => void
}

function SelectionBar<Item, Filter>(props: BarProps<Item, Filter>) {
  const { selecting, ids, isAll, read, clear, selectMatching } = props
  const { t, i18n } = useTranslation('shell')
  const { matching, renderBar } = selecting
  const total = matching?.total
  const selection: Selected<Filter> =
    isAll && matching && total ? { matching: matching.filter, total } : { ids }
  const mayTakeAll = !isAll && total && !total.more && ids.length >= read
  return (
    <Box className={classes.bar}>
      <Group gap="xs" mb={4}>
        {mayTakeAll && total.count > ids.length && (
          <Button variant="default" size="compact-sm" onClick={selectMatching}>
            {t('selectMatching', { total: sayTotal(total, i18n.language) })}
          </Button>
        )}
        <Button variant="default" size="compact-sm" onClick={clear}>
          {t('clearSelection')}
        </Button>
      </Group>
      {renderBar({ selection, onDone: clear })}
    </Box>
  )
}
