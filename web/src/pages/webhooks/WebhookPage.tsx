/** The page shows one webhook: its health, its actions, its secret and its journal. */
import { Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useMay } from '../../api/use-role.ts'
import { Copyable } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { DeleteWebhook, EnableWebhook } from './webhook-acts.tsx'
import { Health } from './Health.tsx'
import { Journal } from './Journal.tsx'
import { KnownWebhook } from './KnownWebhook.tsx'
import { ReplayRange } from './ReplayRange.tsx'
import { Secret } from './Secret.tsx'
import { SendTest } from './SendTest.tsx'
import { sayHealth } from './words.ts'

export function WebhookPage() {
  const { id = '' } = useParams({ strict: false })
  return <KnownWebhook id={id}>{(health) => <Shown key={id} health={health} />}</KnownWebhook>
}

function Shown({ health }: { health: WebhookHealth }) {
  const { t } = useTranslation('webhooks')
  const mayEdit = useMay('editor')
  const { webhook } = health
  const { tone, key } = sayHealth(health)
  return (
    <Page
      title={webhook.name}
      beside={<Status tone={tone}>{t(key)}</Status>}
      about={
        <Copyable value={webhook.url} label={t('url')}>
          {webhook.url}
        </Copyable>
      }
      back={{ to: 'webhooks', label: t('title') }}
      actions={
        mayEdit && (
          <>
            <ButtonLink
              to={`webhooks/${webhook.id}/edit`}
              variant="default"
              leftSection={<Icon name="edit" size={16} />}
            >
              {t('edit')}
            </ButtonLink>
            <EnableWebhook health={health} />
          </>
        )
      }
    >
      <Stack gap="xl">
        <Health health={health} />
        {mayEdit && <SendTest id={webhook.id} />}
        <Section title={t('journal')} gap="md" beside={mayEdit && <ReplayRange health={health} />}>
          <Journal health={health} />
        </Section>
        {mayEdit && <Secret health={health} />}
        {mayEdit && <DeleteWebhook health={health} />}
      </Stack>
    </Page>
  )
}
