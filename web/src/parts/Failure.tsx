/** A refusal where the person acts: what it says, what it names, and the way to try again. */
import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Refusal } from '../api/refusal.ts'
import { Icon } from './Icon.tsx'

/** `error` null: nothing is shown. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const { t } = useTranslation('shell')
  if (!error) return null
  const details = error instanceof Refusal ? Object.entries(error.details) : []
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={sayWhat(error, t)}>
      <Stack gap="xs" align="flex-start">
        {details.map(([name, value]) => (
          <Text key={name} size="sm">
            {name}: <Code>{typeof value === 'string' ? value : JSON.stringify(value)}</Code>
          </Text>
        ))}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** One sentence of an error, in the reader's language. */
export function sayWhat(error: unknown, t: (key: 'unreachable' | 'ourFailure') => string): string {
  if (!(error instanceof Refusal)) return t('ourFailure')
  return error.code === 'unreachable' || error.message === '' ? t('unreachable') : error.message
}
