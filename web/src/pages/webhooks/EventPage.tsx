/** One event: what happened, as it is told, and to which webhooks it went. */
import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Code } from '../../parts/Code.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { deliveryWords, sayEvent, sayFailure } from './words.ts'

export function EventPage(): ReactNode {
  const { t } = useTranslation('webhooks')
  const { id = '' } = useParams({ strict: false })
  const { data, error, isPending, refetch } = useAsk('getEvent', { params: { id } }, { poll: 10_000 })
  const back = { to: 'webhooks', label: t('title') }
  if (data) return <Shown event={data} back={back} />
  return (
    <Page title={t('event')} back={back}>
      {isPending && <Skeleton height={160} role="status" aria-label={t('loading')} />}
      <Failure error={error} retry={() => void refetch()} />
    </Page>
  )
}

function Shown({ event, back }: { event: Got<'getEvent'>; back: { to: string; label: string } }): ReactNode {
  const { t } = useTranslation('webhooks')
  const { deliveries } = event
  return (
    <Page
      title={event.type}
      beside={event.test && <Status tone="quiet">{t('testMark')}</Status>}
      about={sayEvent(event.type, t)}
      back={back}
    >
      <Text size="sm" component="div">
        {t('happened')} <Moment at={event.created_at} exact />
      </Text>
      <Stack component="section" gap="sm" aria-labelledby="went-to">
        <Title order={2} size="h3" id="went-to">
          {t('wentTo')}
        </Title>
        <Listing
          label={t('wentTo')}
          read={{ items: deliveries, isLoading: false, error: null, retry: () => undefined }}
          columns={useColumns()}
          idOf={({ id }) => id}
          linkOf={({ webhook_id: webhookId, id }) => `webhooks/${webhookId}/deliveries/${id}`}
          empty={
            <Empty icon="webhooks" title={t('wentNowhere')}>
              {t('wentNowhereWhy')}
            </Empty>
          }
        />
      </Stack>
      <Stack component="section" gap="sm" aria-labelledby="body">
        <Title order={2} size="h3" id="body">
          {t('body')}
        </Title>
        <Code label={t('body')}>{event.body}</Code>
      </Stack>
    </Page>
  )
}

function useColumns(): Column<Got<'getEvent'>['deliveries'][number]>[] {
  const { t } = useTranslation('webhooks')
  return [
    { header: t('webhook'), cell: ({ webhook_name: name }) => <UserText>{name}</UserText> },
    {
      header: t('state'),
      cell: ({ status }) => <Status tone={deliveryWords[status].tone}>{t(deliveryWords[status].key)}</Status>,
    },
    { header: t('attempts'), cell: ({ attempts }) => attempts, align: 'end', short: true },
    {
      header: t('lastAnswer'),
      cell: ({ failure, response_status: status, duration_ms: ms }) =>
        failure ? (
          <UserText>{sayFailure(failure, t)}</UserText>
        ) : status === null ? (
          '–'
        ) : (
          t('answeredIn', { status, ms: ms ?? 0 })
        ),
    },
  ]
}
