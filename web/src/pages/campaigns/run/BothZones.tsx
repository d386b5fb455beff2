/** A time that was agreed on, in the reader's own zone and in UTC, so that users in two places mean the same. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

export function BothZones({ at }: { at: string }) {
  const { i18n } = useTranslation()
  const say = (timeZone: string): string =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(new Date(at))
  return (
    <time dateTime={at}>
      <Text size="md" component="span" fw={550}>
        {say(ownZone())} ({ownZone()})
      </Text>
      <br />
      <Text component="span" c="dimmed">
        {say('UTC')} UTC
      </Text>
    </time>
  )
}
