/** Changes what a webhook is made of. */
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../api/use-ask.ts'
import { Page } from '../../parts/Page.tsx'
import { usePlace } from '../../parts/links.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { KnownWebhook } from './KnownWebhook.tsx'
import { WebhookForm } from './WebhookForm.tsx'

export function EditWebhookPage(): ReactNode {
  const { t } = useTranslation('webhooks')
  const { id = '' } = useParams({ strict: false })
  const place = usePlace()
  const navigate = useNavigate()
  const { mutateAsync, isPending, error } = useAct('updateWebhook', { refresh: ['listWebhookHealth'] })
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
            error={error}
            busy={isPending}
            onSubmit={(body) =>
              void mutateAsync({ params: { id }, body }).then(
                () => {
                  notifyDone(t('saved'))
                  void navigate({ to: place(`webhooks/${id}`) })
                },
                // Shown in the form.
                () => undefined,
              )
            }
          />
        </Page>
      )}
    </KnownWebhook>
  )
}
