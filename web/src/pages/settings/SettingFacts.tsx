/** Shows names and values below each other, or beside each other where there is room. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Facts.module.css'

export interface Fact {
  name: string
  value: ReactNode
  /** The key distinguishes facts of one name. */
  key?: string
}

export function SettingFacts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value, key = name }) => (
        <div key={key} className={classes.fact}>
          <Text component="dt" c="dimmed">
            {name}
          </Text>
          <Text size="md" component="dd" fz="sm" className={classes.value}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  )
}
