/**
 * What stands above a list: its search, and the filters that narrow it. On a phone a button shows
 * the filters, so that the list begins near the top.
 */
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSearch } from '@tanstack/react-router'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'
import classes from './ListTools.module.css'

interface ListToolsProps {
  label: string
  search: ReactNode
  /** The filters by their names in the address: the button says how many of them are set. */
  names?: readonly string[]
  /** How many more are set, which are not in the address by a name of their own. */
  others?: number
  children: ReactNode
}

export function ListTools(props: ListToolsProps) {
  const { label, search, names = [], others = 0, children } = props
  const { t } = useTranslation('shell')
  const [opened, { toggle }] = useDisclosure()
  const id = useId()
  const set: Record<string, unknown> = useSearch({ strict: false })
  const count = others + names.filter((name) => (set[name] ?? '') !== '').length
  return (
    <Group gap="sm" role="search" aria-label={label} className={classes.tools}>
      {search}
      <Button
        className={classes.button}
        variant={count > 0 ? 'light' : 'default'}
        leftSection={<Icon name="filter" size={16} />}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        {count > 0 ? `${t('filters')} ${count}` : t('filters')}
      </Button>
      <div id={id} className={classes.filters} data-opened={opened}>
        {children}
      </div>
    </Group>
  )
}
