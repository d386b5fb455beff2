/** The page changes a webhook's name, URL and event types. */
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Page } from '../../parts/Page.tsx'
import { useGo } from '../../parts/links.tsx'
import { KnownWebhook } from './KnownWebhook.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export function EditWebhookPage() {
  const { t } = useTranslation('webhooks')
  const { id = '' } = useParams({ strict: false })
  const go = useGo()
  const { mutateAsync } = useAct('updateWebhook', {
    refresh: ['listWebhookHealth'],
    done: t('saved'),
  })
  return (
    <KnownWebhook id={id}>
      {({ webhook }) => (
        <Page
          title={t('editTitle', { name: webhook.name })}
          about={t('editAbout')}
          back={{ to: `webhooks/${id}`, label: webhook.name }}
        >
          <WebhookForm
            before={webhook}
            verb={t('save')}
            onSubmit={(body) =>
              mutateAsync({ params: { id }, body }).then(() => go(`webhooks/${id}`))
            }
          />
        </Page>
      )}
    </KnownWebhook>
  )
}
