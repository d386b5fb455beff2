/** The page shows one event in the form that webhooks receive, and the webhooks that it went to. */
import { Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { knownList, useAsk } from '../../api/use-ask.ts'
import { Code } from '../../parts/Code.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { answerColumns } from './answer-columns.tsx'
import { sayEvent } from './words.ts'

export function EventPage() {
  const { t } = useTranslation('webhooks')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk('getEvent', { params: { id } }, { poll: 10_000 })
  const back = { to: 'webhooks', label: t('title') }
  return (
    <LoadedPage of={read} title={t('event')} back={back} height={160}>
      {(event) => (
        <Page
          title={event.type}
          beside={event.test && <Status tone="quiet">{t('testMark')}</Status>}
          about={sayEvent(event.type, t)}
          back={back}
        >
          <Text component="div">
            {t('happened')} <Moment at={event.created_at} exact />
          </Text>
          <CopyField value={event.id} label={t('event')} />
          <Section title={t('wentTo')}>
            <Listing
              label={t('wentTo')}
              read={knownList(event.deliveries)}
              columns={columnsOf(t)}
              idOf={(delivery) => delivery.id}
              linkOf={(delivery) => `webhooks/${delivery.webhook_id}/deliveries/${delivery.id}`}
              empty={{ icon: 'webhooks', title: t('wentNowhere'), why: t('wentNowhereWhy') }}
            />
          </Section>
          <Section title={t('body')}>
            <Code label={t('body')} isJson>
              {event.body}
            </Code>
          </Section>
        </Page>
      )}
    </LoadedPage>
  )
}

function columnsOf(t: TFunction<'webhooks'>): Column<Got<'getEvent'>['deliveries'][number]>[] {
  const { state, attempts, lastAnswer } = answerColumns(t)
  return [
    { header: t('webhook'), cell: ({ webhook_name: name }) => <UserText>{name}</UserText> },
    state,
    attempts,
    lastAnswer,
  ]
}
