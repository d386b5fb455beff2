/** The bar under a list: how many rows are selected, and what can be done with them. */
import { Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

export function BulkActions({ count, children }: { count: number; children: ReactNode }) {
  const { t, i18n } = useTranslation('shell')
  const number = new Intl.NumberFormat(i18n.language).format(count)
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('selection')}>
      <Group gap="xs">
        <Text fw={550} aria-live="polite" mr="xs">
          {t('selectedRows', { count, number })}
        </Text>
        {children}
      </Group>
    </Paper>
  )
}
