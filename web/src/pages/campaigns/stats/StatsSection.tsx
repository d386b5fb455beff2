/** One part of the statistics: what it shows and, in a sentence, how it is to be read. */
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useId } from 'react'

export function StatsSection({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id}>
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={2} size="h3" id={id}>
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed" maw="75ch" component="div">
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Paper>
  )
}
