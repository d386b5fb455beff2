/** Deletes a webhook with its journal, once its name was typed. */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { useGo } from '../../parts/links.tsx'
import { Section } from '../../parts/Section.tsx'

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
