/** The statuses of a list as tabs, with how many have each; the choice lives in the address. */
import { Group, Text, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useFilter } from '../use-filter.ts'
import { sayTotal, type Total } from './say-total.ts'
import classes from './StatusTabs.module.css'

export interface StatusTab {
  /** Empty: all. */
  value: string
  label: string
  total?: Total | undefined
}

export function StatusTabs({
  name = 'status',
  label,
  tabs,
}: {
  name?: string
  label: string
  tabs: readonly StatusTab[]
}) {
  const { i18n } = useTranslation()
  const [value, set] = useFilter(name)
  const chosen = tabs.some((tab) => tab.value === value) ? value : ''
  return (
    <Group gap={4} role="group" aria-label={label} className={classes.tabs}>
      {tabs.map((tab) => (
        <UnstyledButton
          key={tab.value}
          className={classes.tab}
          aria-pressed={tab.value === chosen}
          onClick={() => set(tab.value)}
        >
          {tab.label}{' '}
          {tab.total && (
            <Text span c="dimmed" size="sm" ml={2}>
              {sayTotal(tab.total, i18n.language)}
            </Text>
          )}
        </UnstyledButton>
      ))}
    </Group>
  )
}
