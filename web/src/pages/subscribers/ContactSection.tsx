/** A part of a page under its own heading. */
import { Stack, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { ReactNode } from 'react'

export function ContactSection({ title, about, children }: { title: string; about?: string; children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <div>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {about && (
          <Text size="sm" c="dimmed" maw="70ch">
            {about}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  )
}
