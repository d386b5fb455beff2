/** The grid shows names and values, beside each other where there is room. */
import { SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function FactGrid({
  facts,
}: {
  facts: readonly (readonly [name: string, fact: ReactNode])[]
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      {facts.map(([name, fact]) => (
        <div key={name}>
          <Text c="dimmed">{name}</Text>
          <Text component="div">{fact}</Text>
        </div>
      ))}
    </SimpleGrid>
  )
}
