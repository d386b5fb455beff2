/** Sends a test event of the real form to a webhook, and shows the result. */
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { sayFailure } from './words.ts'

export function SendTest({ id }: { id: string }) {
  const { t } = useTranslation('webhooks')
  const { mutate, isPending, error, data } = useAct('testWebhook', {
    refresh: ['listWebhookJournal', 'listWebhookHealth'],
  })
  return (
    <Stack gap="sm">
      <Group>
        <Button
          variant="default"
          leftSection={<Icon name="send" size={16} />}
          loading={isPending}
          onClick={() => mutate({ params: { id } })}
        >
          {t('test')}
        </Button>
      </Group>
      <Failure error={error} />
      <div aria-live="polite">
        {data && !isPending && <Outcome id={id} deliveryId={data.delivery_id} />}
      </div>
    </Stack>
  )
}

function Outcome({ id, deliveryId }: { id: string; deliveryId: string }) {
  const { t } = useTranslation('webhooks')
  const { data, error } = useAsk('getWebhookDelivery', { params: { id, deliveryId } })
  if (error) return <Failure error={error} />
  if (!data) return null
  const { failure } = data
  return (
    <Alert
      color={failure ? 'red' : 'teal'}
      icon={<Icon name={failure ? 'warning' : 'check'} />}
      title={
        failure
          ? t('testFailed')
          : t('testDelivered', { status: data.response_status ?? '', ms: data.duration_ms ?? 0 })
      }
    >
      <Stack gap={4} align="flex-start">
        {failure && sayFailure(failure, t)}
        <PageLink to={`webhooks/${id}/deliveries/${deliveryId}`} size="sm">
          {t('seeDelivery')}
        </PageLink>
      </Stack>
    </Alert>
  )
}
