/** Reads one webhook for a page about it: loading, gone, or there. */
import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { useWebhook } from './use-webhook.ts'

export function KnownWebhook({ id, children }: { id: string; children: (health: WebhookHealth) => ReactNode }): ReactNode {
  const { t } = useTranslation('webhooks')
  const { health, isLoading, error, retry } = useWebhook(id)
  if (health) return children(health)
  return (
    <Page title={t('webhook')} back={{ to: 'webhooks', label: t('title') }}>
      {isLoading && (
        <Stack role="status" aria-label={t('loading')}>
          <Skeleton height={24} width="40%" />
          <Skeleton height={120} />
        </Stack>
      )}
      <Failure error={error} retry={retry} />
      {!isLoading && !error && (
        <Empty icon="webhooks" title={t('gone')} action={<ButtonLink to="webhooks">{t('toAll')}</ButtonLink>}>
          {t('goneWhy')}
        </Empty>
      )}
    </Page>
  )
}
