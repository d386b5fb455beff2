/** Changes what a webhook is made of. */
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Page } from '../../parts/Page.tsx'
import { useGo } from '../../parts/links.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { KnownWebhook } from './KnownWebhook.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export function EditWebhookPage() {
  const { t } = useTranslation('webhooks')
  const { id = '' } = useParams({ strict: false })
  const go = useGo()
  const { mutateAsync } = useAct('updateWebhook', { refresh: ['listWebhookHealth'] })
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
            onSubmit={async (body) => {
              await mutateAsync({ params: { id }, body })
              notifyDone(t('saved'))
              await go(`webhooks/${id}`)
            }}
          />
        </Page>
      )}
    </KnownWebhook>
  )
}
