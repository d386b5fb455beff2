/** What the head of a list does, where a phone has no room for one: an order, and all rows. */
import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../Listing.module.css'
import type { Column } from './columns.ts'
import type { HeadProps } from './Head.tsx'
import type { Sorting } from './sorting.ts'

type Props<Item extends object> = Omit<HeadProps<Item>, 'table'>

export function NarrowHead<Item extends object>({ columns, sorting, selectAll }: Props<Item>) {
  const { t } = useTranslation('shell')
  if (!selectAll && !sorting) return null
  return (
    <Group className={classes.narrow} justify="space-between" gap="sm" wrap="nowrap">
      {selectAll && <Checkbox size="md" label={t('selectAll')} {...selectAll} />}
      {sorting && <SortChoice columns={columns} sorting={sorting} />}
    </Group>
  )
}

function SortChoice<Item>({
  columns,
  sorting,
}: {
  columns: readonly Column<Item>[]
  sorting: Sorting
}) {
  const { t } = useTranslation('shell')
  const data = columns.flatMap(({ header, sort }) =>
    sort === undefined
      ? []
      : [
          { value: sort, label: t('sortUp', { column: header }) },
          { value: `-${sort}`, label: t('sortDown', { column: header }) },
        ],
  )
  return (
    <NativeSelect
      size="xs"
      aria-label={t('sortBy')}
      value={`${sorting.isDescending ? '-' : ''}${sorting.by}`}
      data={data}
      onChange={({ currentTarget: { value } }) =>
        sorting.set(value.replace(/^-/, ''), value.startsWith('-'))
      }
    />
  )
}
