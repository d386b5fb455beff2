/** Switches a webhook off, saying what that means, and on again. */
import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useNotifyRefused } from '../../parts/use-notify-refused.ts'

export function EnableWebhook({ health: { webhook, waiting } }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const onError = useNotifyRefused()
  const { id, enabled, name } = webhook
  const params = { id }
  const { mutate, mutateAsync, isPending } = useAct('updateWebhook', {
    refresh: ['listWebhookHealth', 'listWebhookJournal'],
    done: (now) => (now.enabled ? t('enabledNow', { name }) : null),
  })
  return enabled ? (
    <ConfirmButton
      label={t('disable')}
      icon="pause"
      title={t('disableTitle', { name })}
      onConfirm={() => mutateAsync({ params, body: { enabled: false } })}
    >
      <Text>{t('disableWhat', { waiting })}</Text>
    </ConfirmButton>
  ) : (
    <Button
      leftSection={<Icon name="play" size={16} />}
      loading={isPending}
      onClick={() => mutate({ params, body: { enabled: true } }, { onError })}
    >
      {t('enable')}
    </Button>
  )
}
