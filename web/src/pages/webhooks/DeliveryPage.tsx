/** One delivery: what is posted, and each attempt with its request and its answer. */
import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Code } from '../../parts/Code.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { sayWhat } from '../../parts/refusal-words.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { notifyDone, notifyRefused } from '../../parts/notify.ts'
import { Attempt } from './Attempt.tsx'
import { deliveryWords } from './words.ts'

type Delivery = Got<'getWebhookDelivery'>

export function DeliveryPage(): ReactNode {
  const { t } = useTranslation('webhooks')
  const { id = '', deliveryId = '' } = useParams({ strict: false })
  const { data, error, isPending, refetch } = useAsk('getWebhookDelivery', { params: { id, deliveryId } }, { poll: 4_000 })
  const back = { to: `webhooks/${id}`, label: data?.webhook_name ?? t('webhook') }
  if (data) return <Shown key={data.id} delivery={data} back={back} />
  return (
    <Page title={t('delivery')} back={back}>
      {isPending && <Skeleton height={160} role="status" aria-label={t('loading')} />}
      <Failure error={error} retry={() => void refetch()} />
    </Page>
  )
}

function Shown({ delivery, back }: { delivery: Delivery; back: { to: string; label: string } }): ReactNode {
  const { t } = useTranslation('webhooks')
  const mayEdit = useMay('editor')
  const { tone, key } = deliveryWords[delivery.status]
  const facts: [string, ReactNode][] = [
    [
      t('event'),
      <PageLink key="event" to={`events/${delivery.event_id}`} ff="monospace" size="sm">
        {delivery.event_id}
      </PageLink>,
    ],
    [t('happened'), <Moment key="at" at={delivery.created_at} exact />],
    [t('attempts'), delivery.attempts],
    [t('nextAttempt'), <Moment key="next" at={delivery.next_attempt_at} exact />],
  ]
  return (
    <Page
      title={delivery.type}
      beside={
        <>
          <Status tone={tone}>{t(key)}</Status>
          {delivery.test && <Status tone="quiet">{t('testMark')}</Status>}
        </>
      }
      back={back}
      actions={mayEdit && <Replay delivery={delivery} />}
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {facts.map(([label, fact]) => (
          <div key={label}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text size="sm" component="div">
              {fact}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <Stack component="section" gap="sm" aria-labelledby="body">
        <Title order={2} size="h3" id="body">
          {t('body')}
        </Title>
        {delivery.body === null ? <Text size="sm">{t('bodyGone')}</Text> : <Code label={t('body')}>{delivery.body}</Code>}
      </Stack>
      <Stack component="section" gap="md" aria-labelledby="attempts">
        <Title order={2} size="h3" id="attempts">
          {t('attempts')}
        </Title>
        {delivery.attempts_made.length === 0 && <Text size="sm">{t('noAttemptYet')}</Text>}
        {delivery.attempts_made.map((attempt, at) => (
          <Attempt key={attempt.attempt} attempt={attempt} opened={at === 0} />
        ))}
      </Stack>
    </Page>
  )
}

/** One more attempt, at once. */
function Replay({ delivery: { webhook_id: id, id: deliveryId } }: { delivery: Delivery }): ReactNode {
  const { t } = useTranslation('webhooks')
  const { t: ofShell } = useTranslation('shell')
  const { mutate, isPending } = useAct('replayWebhookDelivery', {
    refresh: ['getWebhookDelivery', 'listWebhookJournal', 'listWebhookHealth', 'getEvent'],
  })
  const replay = (): void =>
    mutate(
      { params: { id, deliveryId } },
      {
        onSuccess: ({ status }) => (status === 'delivered' ? notifyDone(t('replayDelivered')) : notifyRefused(t('replayFailed'))),
        onError: (error) => notifyRefused(sayWhat(error, ofShell)),
      },
    )
  return (
    <Group>
      <Button leftSection={<Icon name="refresh" size={16} />} loading={isPending} onClick={replay}>
        {t('replay')}
      </Button>
    </Group>
  )
}
