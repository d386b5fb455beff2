/** The page creates a webhook, and then shows its secret and how to use it. */
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { ReceiverHelp } from './ReceiverHelp.tsx'
import { SendTest } from './SendTest.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export function NewWebhookPage() {
  const { t } = useTranslation('webhooks')
  const { mutateAsync, data } = useAct('createWebhook', { refresh: ['listWebhookHealth'] })
  if (data) return <Created webhook={data} />
  return (
    <Page title={t('newTitle')} about={t('newAbout')} back={{ to: 'webhooks', label: t('title') }}>
      <WebhookForm
        before={{
          name: '',
          url: '',
          events: ['email.delivered', 'email.bounced', 'email.complained'],
        }}
        verb={t('create')}
        onSubmit={(body) => mutateAsync({ body })}
      />
    </Page>
  )
}

function Created({ webhook }: { webhook: Got<'createWebhook'> }) {
  const { t } = useTranslation('webhooks')
  return (
    <Page
      title={t('createdTitle', { name: webhook.name })}
      back={{ to: 'webhooks', label: t('title') }}
    >
      <Stack maw={720}>
        <Alert color="teal" icon={<Icon name="check" />} title={t('createdLead')}>
          <Text>{t('secretWhy')}</Text>
        </Alert>
        <CopyField value={webhook.secret} label={t('secret')} wrap />
        <ReceiverHelp />
        <SendTest id={webhook.id} />
        <Group>
          <ButtonLink to={`webhooks/${webhook.id}`} variant="default">
            {t('toWebhook')}
          </ButtonLink>
        </Group>
      </Stack>
    </Page>
  )
}
