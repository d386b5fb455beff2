/**
 * Shows a refusal where the user acts: its sentence, its details, and the way to try again or back.
 */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode, waitMs } from '../api/refusal.ts'
import { awayStore, isAway } from '../api/service-away.ts'
import { Icon } from './Icon.tsx'
import { ButtonLink } from './links.tsx'
import { WayBack } from './Page.tsx'
import { sayMore, sayWhat } from '../api/refusal-words.ts'

interface FailureProps {
  /** Null means the component shows nothing. */
  error: unknown
  retry?: () => void
  /** A repeated call is on its way. */
  busy?: boolean
}

export function Failure({ error, retry, busy = false }: FailureProps) {
  const { t } = useTranslation('shell')
  const back = useContext(WayBack)
  const isServiceAway = useSyncExternalStore(awayStore.subscribe, awayStore.read)
  // A user who aborted the call knows of it.
  if (!error || isAbort(error)) return null
  // The bar of the page says it, and what was to be read comes back by itself.
  if (retry && isServiceAway && isAway(error)) return null
  // A second request would not find a missing object either.
  const isGone = refusalCode(error) === 'not_found'
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={sayWhat(error, t)}>
      <Stack gap="xs" align="flex-start">
        {sayMore(error, t).map((line) => (
          <Text key={line} style={{ overflowWrap: 'anywhere' }}>
            {line}
          </Text>
        ))}
        {isGone && back && (
          <ButtonLink size="xs" variant="default" to={back.to}>
            {back.label}
          </ButtonLink>
        )}
        {retry && !isGone && <Retry error={error} retry={retry} busy={busy} />}
      </Stack>
    </Alert>
  )
}

const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

/** The button works from the time that the service named. */
function Retry({ error, retry, busy }: { error: unknown; retry: () => void; busy: boolean }) {
  const { t } = useTranslation('shell')
  const seconds = useWait(error)
  return (
    <Button size="xs" variant="default" onClick={retry} loading={busy} disabled={seconds > 0}>
      {seconds > 0 ? t('tryAgainIn', { seconds }) : t('tryAgain')}
    </Button>
  )
}

/** Counts down the seconds until the service accepts the call again; 0 when it named no time. */
function useWait(error: unknown): number {
  const [, count] = useState(0)
  const left = Math.ceil(waitMs(error) / 1_000)
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => count((before) => before + 1), waitMs(error) % 1_000 || 1_000)
    return () => clearTimeout(timer)
  })
  return left
}
