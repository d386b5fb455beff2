/** Chooses which of the optional columns a list shows; the choice lives in the address. */
import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useFilter } from '../use-filter.ts'
import { nameOf, type Column } from './columns.ts'

/** By name of an optional column, whether it shows. */
export function useShown<Item>(columns: readonly Column<Item>[]): Record<string, boolean> {
  const [chosen] = useFilter('columns')
  const names = chosen.split(',')
  return Object.fromEntries(
    columns
      .filter(({ optional }) => optional !== undefined)
      .map((column) => [
        nameOf(column),
        chosen === '' ? column.optional?.isHidden !== true : names.includes(nameOf(column)),
      ]),
  )
}

export function ChooseColumns<Item>({ columns }: { columns: readonly Column<Item>[] }) {
  const { t } = useTranslation('shell')
  const [, set] = useFilter('columns')
  const shown = useShown(columns)
  const change = (name: string, isShown: boolean): void => {
    const names = Object.keys(shown).filter((each) => (each === name ? isShown : shown[each]))
    // A name that no column has: the reader hid all of them.
    set(names.length === 0 ? '-' : names.join(','))
  }
  return (
    <Popover position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button variant="default" size="xs" radius="xl">
          {t('columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" mah="60vh" style={{ overflowY: 'auto' }}>
          {columns
            .filter(({ optional }) => optional !== undefined)
            .map((column) => (
              <Checkbox
                key={nameOf(column)}
                label={column.header}
                checked={shown[nameOf(column)] === true}
                onChange={({ currentTarget: { checked } }) => change(nameOf(column), checked)}
              />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
