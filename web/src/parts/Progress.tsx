/** The bar shows how far long work is, with the same in words. */
import { Group, Progress as Bar, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ProgressProps {
  label: string
  done: number
  /** Null if the total is not known yet. */
  total: number | null
  /** Formats a count. Absent means as a number. */
  say?: (count: number) => string
  /** These words replace `done` and `total`. */
  words?: string
}

export function Progress({ label, done, total, say, words }: ProgressProps) {
  const { t, i18n } = useTranslation('shell')
  const write = say ?? ((count: number): string => count.toLocaleString(i18n.language))
  // A screen reader says it.
  const share = !total ? 100 : Math.min(100, Math.floor((done / total) * 100))
  return (
    <Stack gap={6} w="100%">
      <Group justify="space-between" gap="xs">
        <Text fw={550}>{label}</Text>
        <Text c="dimmed" aria-live="polite">
          {words ?? (total !== null && t('doneOf', { done: write(done), total: write(total) }))}
        </Text>
      </Group>
      <Bar.Root size="md">
        {total === null ? (
          <Bar.Section
            value={100}
            animated
            striped
            withAria={false}
            role="progressbar"
            aria-label={label}
          />
        ) : (
          <Bar.Section value={share} aria-label={label} />
        )}
      </Bar.Root>
    </Stack>
  )
}
