/** The headers of a mail; below what is encoded stands how it is read. */
import type { ReactNode } from 'react'
import { Code } from './Code.tsx'

interface HeaderLinesProps {
  label: string
  headers: readonly { name: string; value: string; decoded: string | null }[]
}

export function HeaderLines({ label, headers }: HeaderLinesProps): ReactNode {
  const lines = headers.map(({ name, value, decoded }) =>
    decoded === null ? `${name}: ${value}` : `${name}: ${decoded}\n    ${value}`,
  )
  return <Code label={label}>{lines.join('\n')}</Code>
}
