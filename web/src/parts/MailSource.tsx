/** Shows the beginning of a mail's source as plain text, and offers the whole as a file. */
import { Alert, Group, Skeleton, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf, type Args } from '../api/client.ts'
import { useAsk } from '../api/use-ask.ts'
import { Code } from './Code.tsx'
import { Failure } from './Failure.tsx'
import { Icon } from './Icon.tsx'
import { DownloadButton } from './links.tsx'

/** Limit of the shown bytes, because attachments are long and unreadable as source. */
const bytesMax = 200_000

type Raw = 'getMessageRaw' | 'getCapturedRaw'

export function MailSource({ ask, input }: { ask: Raw; input: NonNullable<Args<Raw>[0]> }) {
  const { t } = useTranslation('shell')
  const { data, error, refetch } = useAsk(ask, input)
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    let isGone = false
    void data
      ?.slice(0, bytesMax)
      .text()
      .then((read) => isGone || setText(read))
    return () => {
      isGone = true
    }
  }, [data])
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />
  if (!data || text === null)
    return <Skeleton height={240} role="status" aria-label={t('loading')} />
  return (
    <Stack gap="sm">
      {data.size > bytesMax && (
        <Alert color="gray" icon={<Icon name="help" />}>
          {t('sourceCut')}
        </Alert>
      )}
      <Code label={t('source')}>{text}</Code>
      <Group>
        <DownloadButton href={addressOf(ask, input)} size="xs">
          {t('keepSource')}
        </DownloadButton>
      </Group>
    </Stack>
  )
}
