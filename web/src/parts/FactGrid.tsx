/** Names and values: a line each on a phone, in columns where there is room. */
import { Flex, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function FactGrid({
  facts,
}: {
  facts: readonly (readonly [name: string, fact: ReactNode])[]
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing={{ base: 6, xs: 'sm' }}>
      {facts.map(([name, fact]) => (
        <Flex key={name} direction={{ base: 'row', xs: 'column' }} columnGap="xs">
          <Text c="dimmed" flex="none" w={{ base: '7.5rem', xs: 'auto' }}>
            {name}
          </Text>
          <Text component="div" miw={0}>
            {fact}
          </Text>
        </Flex>
      ))}
    </SimpleGrid>
  )
}
