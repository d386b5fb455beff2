/** Shows the counts of one webhook, and the next step when it fails. */
import { Alert, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayEvent, sayFailure } from './words.ts'

export function Health({ health }: { health: WebhookHealth }) {
  const { t, i18n } = useTranslation('webhooks')
  // The page has read this already.
  const { data } = useAsk('listWebhookHealth')
  const {
    days = 7,
    counted_max: deliveredMax = 0,
    troubles_counted_max: troublesMax = 0,
  } = data ?? {}
  const say = (count: number, most: number): string =>
    count >= most
      ? t('atLeast', { count: count.toLocaleString(i18n.language) })
      : count.toLocaleString(i18n.language)
  const figures = [
    [t('deliveredDays', { days }), say(health.delivered, deliveredMax)],
    [t('failedDays', { days }), say(health.failed, troublesMax)],
    [t('waitingNow'), say(health.waiting, troublesMax)],
    [t('lastDelivered'), <Moment key="last" at={health.last_delivered_at} />],
  ] as const
  return (
    <Stack>
      <Trouble health={health} />
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {figures.map(([label, figure]) => (
          <Card key={label} withBorder p="md">
            <Text c="dimmed">{label}</Text>
            <Text fw={620} size="lg" component="div">
              {figure}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Group gap="xs" aria-label={t('events')} role="list">
        {health.webhook.events.map((type) => (
          <Text key={type} ff="monospace" c="dimmed" title={sayEvent(type, t)} role="listitem">
            {type}
          </Text>
        ))}
      </Group>
    </Stack>
  )
}

/** Explains why the webhook is disabled, and its last failure. */
function Trouble({ health }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const { disabled, last_failure: failure } = health
  return (
    <>
      {disabled && (
        <Alert
          color={disabled.because === 'failing' ? 'red' : 'gray'}
          icon={<Icon name="pause" />}
          title={disabled.because === 'failing' ? t('disabledFailingTitle') : t('disabledTitle')}
        >
          {t('disabledWhy')} {disabled.at && <Moment at={disabled.at} />}
        </Alert>
      )}
      {failure && (
        <Alert color="red" icon={<Icon name="warning" />} title={sayFailure(failure, t)}>
          <Stack gap={4}>
            <Text component="div">
              {t('failedAt')} <Moment at={failure.at} />
            </Text>
            {failure.next_attempt_at && !disabled && (
              <Text component="div">
                {t('nextAttempt')} <Moment at={failure.next_attempt_at} exact />
              </Text>
            )}
            <Text>{t('failedWhatNow')}</Text>
          </Stack>
        </Alert>
      )}
    </>
  )
}
