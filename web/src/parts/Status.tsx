/** The badge names a state by its word; its colour only helps. */
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Tone } from './tone.ts'

export type { Tone }

const colours: Record<Tone, string> = {
  good: 'teal',
  bad: 'red',
  warning: 'yellow',
  busy: 'facteur',
  quiet: 'gray',
}

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge
      className={`status status-${tone}`}
      variant="light"
      color={colours[tone]}
      tt="none"
      fw={550}
      size="md"
    >
      {children}
    </Badge>
  )
}
