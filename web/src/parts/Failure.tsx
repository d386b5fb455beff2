/** A refusal where the person acts: what it says, what it names, and the way to try again. */
import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Refusal } from '../api/refusal.ts'
import { Icon } from './Icon.tsx'
import { useWait } from './use-wait.ts'

interface FailureProps {
  /** Null: nothing is shown. */
  error: unknown
  retry?: () => void
  /** It is being tried again. */
  busy?: boolean
}

export function Failure({ error, retry, busy = false }: FailureProps): ReactNode {
  const { t } = useTranslation('shell')
  // What somebody broke off themselves they know of.
  if (!error || isAbort(error)) return null
  const details = error instanceof Refusal ? Object.entries(error.details) : []
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={sayWhat(error, t)}>
      <Stack gap="xs" align="flex-start">
        {details.map(([name, value]) => (
          <Text key={name} size="sm">
            {name}: <Code>{typeof value === 'string' ? value : JSON.stringify(value)}</Code>
          </Text>
        ))}
        {retry && <Retry error={error} retry={retry} busy={busy} />}
      </Stack>
    </Alert>
  )
}

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Not before the service answers anew, where it said when that is. */
function Retry({ error, retry, busy }: { error: unknown; retry: () => void; busy: boolean }): ReactNode {
  const { t } = useTranslation('shell')
  const seconds = useWait(error)
  return (
    <Button size="xs" variant="default" onClick={retry} loading={busy} disabled={seconds > 0}>
      {seconds > 0 ? t('tryAgainIn', { seconds }) : t('tryAgain')}
    </Button>
  )
}

/** One sentence of an error, in the reader's language. */
export function sayWhat(error: unknown, t: (key: 'unreachable' | 'ourFailure') => string): string {
  if (!(error instanceof Refusal)) return t('ourFailure')
  return error.code === 'unreachable' || error.message === '' ? t('unreachable') : error.message
}
