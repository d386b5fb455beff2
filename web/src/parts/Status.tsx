/** A state as a badge: its word says it, its colour only helps. */
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

/** What a state is like, whatever its word. */
export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'quiet'

const colours: Record<Tone, string> = { good: 'teal', bad: 'red', warning: 'yellow', busy: 'facteur', quiet: 'gray' }

export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge className={`status status-${tone}`} variant="light" color={colours[tone]} tt="none" fw={550} size="md">
      {children}
    </Badge>
  )
}
