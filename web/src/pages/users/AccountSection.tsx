/** A part of a long page: what it is about, and what can be done. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  about?: ReactNode
  beside?: ReactNode
  children: ReactNode
}

export function AccountSection({ title, about, beside, children }: SectionProps): ReactNode {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder radius="md" p="md">
      <Stack>
        <Stack gap={4}>
          <Group justify="space-between" gap="xs">
            <Title order={2} id={id} size="h4">
              {title}
            </Title>
            {beside}
          </Group>
          {about && (
            <Text size="sm" c="dimmed" maw="70ch">
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Paper>
  )
}
