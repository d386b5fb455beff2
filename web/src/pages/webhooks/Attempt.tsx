/** Shows one attempt of a delivery: its result, the sent request, and the answer as plain text. */
import { Button, Card, Collapse, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { Code } from '../../parts/Code.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { sayFailure } from './words.ts'

type AttemptMade = Got<'getWebhookDelivery'>['attempts_made'][number]

export function Attempt({
  attempt,
  opened: opensAtFirst,
}: {
  attempt: AttemptMade
  opened: boolean
}) {
  const { t } = useTranslation('webhooks')
  const [opened, { toggle }] = useDisclosure(opensAtFirst)
  const { failure } = attempt
  const number = t('attemptNumber', { number: attempt.attempt })
  return (
    <Card withBorder p="md">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Text size="md" fw={600}>
            {number}
          </Text>
          <Status tone={failure ? 'bad' : 'good'}>
            {failure ? t('stateFailed') : t('stateDelivered')}
          </Status>
          <Moment at={attempt.at} exact />
          {attempt.duration_ms !== null && (
            <Text c="dimmed">{t('took', { ms: attempt.duration_ms })}</Text>
          )}
        </Group>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={toggle}
          aria-expanded={opened}
          aria-label={`${opened ? t('hideDetails') : t('showDetails')} – ${number}`}
        >
          {opened ? t('hideDetails') : t('showDetails')}
        </Button>
      </Group>
      <Text mt="xs">
        {failure ? sayFailure(failure, t) : t('answered', { status: attempt.status ?? '' })}
      </Text>
      <Collapse expanded={opened} keepMounted={false}>
        <Stack mt="md" gap="md">
          <Request request={attempt.request} />
          <Answer attempt={attempt} />
        </Stack>
      </Collapse>
    </Card>
  )
}

function Request({ request }: { request: AttemptMade['request'] }) {
  const { t } = useTranslation('webhooks')
  return (
    <div>
      <Text fw={550} mb={4}>
        {t('request')}
      </Text>
      {request ? (
        <Code label={t('request')}>
          {[
            `POST ${request.url}`,
            ...request.headers.map(({ name, value }) => `${name}: ${value}`),
          ].join('\n')}
        </Code>
      ) : (
        <Text c="dimmed">{t('notSent')}</Text>
      )}
    </div>
  )
}

function Answer({ attempt: { status, answer } }: { attempt: AttemptMade }) {
  const { t } = useTranslation('webhooks')
  return (
    <div>
      <Text fw={550} mb={4}>
        {status === null ? t('answer') : t('answerStatus', { status })}
      </Text>
      {answer === null || answer === '' ? (
        <Text c="dimmed">{status === null ? t('noAnswer') : t('emptyAnswer')}</Text>
      ) : (
        <Code label={t('answer')} isJson>
          {answer}
        </Code>
      )}
    </div>
  )
}
