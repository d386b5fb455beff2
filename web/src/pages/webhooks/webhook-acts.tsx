/**
 * Disables, enables or deletes a webhook with its journal, after a dialog has explained the effect.
 */
import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { Section } from '../../parts/Section.tsx'
import { useNotifyRefused } from '../../api/notify.ts'

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

/** The user has to type the webhook's name. */
export function DeleteWebhook({ health: { webhook, waiting } }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const go = useGo()
  const { id, name } = webhook
  const { mutateAsync } = useAct('deleteWebhook', { done: t('deletedNow', { name }) })
  return (
    <Section title={t('deleteHeading')} about={t('deleteLead')}>
      <Group>
        <ConfirmButton
          label={t('delete')}
          icon="trash"
          title={t('deleteTitle', { name })}
          danger
          typed={name}
          onConfirm={() => mutateAsync({ params: { id } }).then(() => go('webhooks'))}
        >
          <Text>{t('deleteWhat', { waiting })}</Text>
        </ConfirmButton>
      </Group>
    </Section>
  )
}
