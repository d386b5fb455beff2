/** How far long work is: a bar and the same in words. */
import { Group, Progress as Bar, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

interface ProgressProps {
  label: string
  done: number
  /** Null: it is not known yet. */
  total: number | null
}

export function Progress({ label, done, total }: ProgressProps): ReactNode {
  const { t, i18n } = useTranslation('shell')
  const say = (count: number): string => count.toLocaleString(i18n.language)
  const share = total === null ? 100 : total === 0 ? 100 : Math.min(100, (done / total) * 100)
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={550}>
          {label}
        </Text>
        <Text size="sm" c="dimmed" aria-live="polite">
          {total === null ? say(done) : t('doneOf', { done: say(done), total: say(total) })}
        </Text>
      </Group>
      <Bar.Root size="md">
        <Bar.Section value={share} animated={total === null} striped={total === null} aria-label={label} />
      </Bar.Root>
    </Stack>
  )
}
