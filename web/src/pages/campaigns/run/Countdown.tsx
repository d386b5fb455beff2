/** The seconds until the first mail leaves, counted here from what the service's clock said. */
import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

export function Countdown({ now, until }: { now: string; until: string }) {
  const { t } = useTranslation('run')
  const [seconds, setSeconds] = useState(() => secondsBetween(now, until))
  useEffect(() => {
    // Each answer of the service says again how much is left.
    const atMs = performance.now()
    const timer = setInterval(() => setSeconds(secondsBetween(now, until, performance.now() - atMs)), 250)
    return () => clearInterval(timer)
  }, [now, until])
  return <Text role="timer">{t('heldFor', { seconds })}</Text>
}

const secondsBetween = (now: string, until: string, passedMs = 0): number =>
  Math.max(0, Math.ceil((Date.parse(until) - Date.parse(now) - passedMs) / 1_000))
