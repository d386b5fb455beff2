/** The page shows one delivery: the body, and the request and answer of each attempt. */
import { Button, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Code } from '../../parts/Code.tsx'
import { Copyable } from '../../parts/CopyField.tsx'
import { FactGrid } from '../../parts/FactGrid.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { notifyDone, notifyRefused, useNotifyRefused } from '../../api/notify.ts'
import { Attempt } from './Attempt.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'

type Delivery = Got<'getWebhookDelivery'>

export function DeliveryPage() {
  const { t } = useTranslation('webhooks')
  const { id = '', deliveryId = '' } = useParams({ strict: false })
  const delivery = useAsk('getWebhookDelivery', { params: { id, deliveryId } }, { poll: 4_000 })
  const back = { to: `webhooks/${id}`, label: delivery.data?.webhook_name ?? t('webhook') }
  return (
    <LoadedPage of={delivery} title={t('delivery')} back={back} height={160}>
      {(data) => <Shown key={data.id} delivery={data} back={back} />}
    </LoadedPage>
  )
}

function Shown({ delivery, back }: { delivery: Delivery; back: { to: string; label: string } }) {
  const { t } = useTranslation('webhooks')
  const mayEdit = useMay('editor')
  const event = (
    <Copyable value={delivery.event_id} label={t('event')}>
      <PageLink to={`events/${delivery.event_id}`} ff="monospace" size="sm">
        {delivery.event_id}
      </PageLink>
    </Copyable>
  )
  return (
    <Page
      title={delivery.type}
      beside={
        <>
          <StateBadge t={t} prefix="state" state={delivery.status} />
          {delivery.test && <Status tone="quiet">{t('testMark')}</Status>}
        </>
      }
      back={back}
      actions={mayEdit && <Replay delivery={delivery} />}
    >
      <FactGrid
        facts={[
          [t('event'), event],
          [t('happened'), <Moment key="at" at={delivery.created_at} exact />],
          [t('attempts'), delivery.attempts],
          [t('nextAttempt'), <Moment key="next" at={delivery.next_attempt_at} exact />],
        ]}
      />
      <Section title={t('body')}>
        {delivery.body === null ? (
          <Text>{t('bodyGone')}</Text>
        ) : (
          <Code label={t('body')} isJson>
            {delivery.body}
          </Code>
        )}
      </Section>
      <Section title={t('attempts')} gap="md">
        {delivery.attempts_made.length === 0 && <Text>{t('noAttemptYet')}</Text>}
        {delivery.attempts_made.map((attempt, at) => (
          <Attempt key={attempt.attempt} attempt={attempt} opened={at === 0} />
        ))}
      </Section>
    </Page>
  )
}

/** The button makes one more attempt at once. */
function Replay({ delivery: { webhook_id: id, id: deliveryId } }: { delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const onError = useNotifyRefused()
  const { mutate, isPending } = useAct('replayWebhookDelivery', {
    refresh: ['getWebhookDelivery', 'listWebhookJournal', 'listWebhookHealth', 'getEvent'],
  })
  const onSuccess = ({ status }: { status: string }): void =>
    status === 'delivered' ? notifyDone(t('replayDelivered')) : notifyRefused(t('replayFailed'))
  return (
    <Button
      leftSection={<Icon name="refresh" size={16} />}
      loading={isPending}
      onClick={() => mutate({ params: { id, deliveryId } }, { onSuccess, onError })}
    >
      {t('replay')}
    </Button>
  )
}
