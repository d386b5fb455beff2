/** Reads one webhook for its pages, and shows whether it is loading, gone or there. */
import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'

/** One poll reads all webhooks, twenty at most, so that running deliveries show as they arrive. */
export function KnownWebhook({
  id,
  children,
}: {
  id: string
  children: (health: WebhookHealth) => ReactNode
}) {
  const { t } = useTranslation('webhooks')
  const all = useAsk('listWebhookHealth', undefined, { poll: 4_000 })
  const health = all.data?.webhooks.find(({ webhook }) => webhook.id === id)
  if (health) return children(health)
  const waiting = (
    <Stack role="status" aria-label={t('loading')}>
      <Skeleton height={24} width="40%" />
      <Skeleton height={120} />
    </Stack>
  )
  return (
    <Page title={t('webhook')} back={{ to: 'webhooks', label: t('title') }}>
      <Loaded of={all} waiting={waiting}>
        {() => (
          <Empty
            icon="webhooks"
            title={t('gone')}
            action={<ButtonLink to="webhooks">{t('toAll')}</ButtonLink>}
          >
            {t('goneWhy')}
          </Empty>
        )}
      </Loaded>
    </Page>
  )
}
