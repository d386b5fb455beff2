/** An empty list says why it is empty, and what to do next. */
import { Button, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'

export interface EmptyProps {
  icon: IconName
  title: string
  children?: ReactNode
  /** The next step: a button or a link. */
  action?: ReactNode
  /** The next step, where filters left nothing. */
  clear?: { label: string; onClick: () => void }
}

export function Empty({ icon, title, children, action, clear }: EmptyProps) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={48} radius="xl" aria-hidden>
        <Icon name={icon} size={24} />
      </ThemeIcon>
      <Text size="md" fw={600}>
        {title}
      </Text>
      {children && (
        <Text c="dimmed" maw="48ch" component="div">
          {children}
        </Text>
      )}
      {action}
      {clear && (
        <Button variant="default" onClick={clear.onClick}>
          {clear.label}
        </Button>
      )}
    </Stack>
  )
}
