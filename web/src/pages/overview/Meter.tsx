/** A number against its limit: in words, and as a bar that is full where the limit is. */
import { Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface MeterProps {
  label: string
  value: string
  beside: string
  /** Of the limit: 1 is at it. */
  share: number
  below?: ReactNode
}

export function Meter({ label, value, beside, share, below }: MeterProps) {
  const colour =
    share >= 1 ? 'var(--outcome-bounced)' : share >= 0.7 ? 'var(--outcome-complained)' : 'var(--mantine-primary-color-filled)'
  return (
    <Stack gap={5}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text>{label}</Text>
        <Text>
          <b>{value}</b>{' '}
          <Text span c="dimmed" size="xs">
            {beside}
          </Text>
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={colour}
          aria-label={label}
          aria-valuetext={`${value} ${beside}`}
        />
      </Progress.Root>
      {below && (
        <Text size="xs" c="dimmed">
          {below}
        </Text>
      )}
    </Stack>
  )
}
