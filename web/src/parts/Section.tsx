/** A part of a page under its own heading: what it is about, and what can be done. */
import {
  Group,
  Paper,
  Stack,
  Text,
  Title,
  type PaperProps,
  type StackProps,
  type TitleProps,
} from '@mantine/core'
import { useId, type ReactNode } from 'react'

interface SectionProps {
  title: string
  about?: ReactNode
  beside?: ReactNode
  size?: TitleProps['size']
  gap?: StackProps['gap']
  children: ReactNode
}

export function Section({ title, about, beside, size = 'h3', gap = 'sm', children }: SectionProps) {
  const id = useId()
  return (
    <Stack component="section" gap={gap} aria-labelledby={id}>
      <Stack gap={4}>
        <Group justify="space-between" gap="xs">
          <Title order={2} size={size} id={id}>
            {title}
          </Title>
          {beside}
        </Group>
        {about && (
          <Text c="dimmed" maw="75ch" component="div">
            {about}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  )
}

/** The same on a sheet of its own. */
export function PaperSection({
  p,
  radius,
  ...section
}: SectionProps & Pick<PaperProps, 'p' | 'radius'>) {
  return (
    <Paper p={p} radius={radius}>
      <Section {...section} />
    </Paper>
  )
}
