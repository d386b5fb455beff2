/** One person: whether they can be mailed and why, the evidence of their consent, everything that was sent and what became of it. */
import { Skeleton, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { ConsentEvidence } from './ConsentEvidence.tsx'
import { Mailable } from './Mailable.tsx'
import type { KnownContact } from './known-contact.ts'
import { ContactActions } from './ContactActions.tsx'
import { ContactMails } from './ContactMails.tsx'
import { ContactRecordView } from './ContactRecordView.tsx'
import { ContactEngagements } from './ContactEngagements.tsx'
import { keyOf, toneOf } from './words.ts'

export function ContactPage(): ReactNode {
  const { t } = useTranslation('subscribers')
  const { who = '' } = useParams({ strict: false })
  const { data, error, refetch } = useAsk('getContact', { params: { who } })
  const back = { to: 'subscribers', label: t('title') }
  if (refusalCode(error) === 'not_found') return <Unknown back={back} />
  const subscriber = data?.subscriber
  return (
    <Page
      title={data?.email ?? t('person')}
      beside={subscriber && <Status tone={toneOf(subscriber.status)}>{t(keyOf('status', subscriber.status))}</Status>}
      back={back}
      actions={data && <ContactActions person={data} who={who} />}
    >
      {data ? (
        <Known person={data} who={who} />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  )
}

function Known({ person, who }: { person: KnownContact; who: string }): ReactNode {
  return (
    <Stack gap="xl">
      <Mailable person={person} />
      {person.subscriber && <ContactRecordView subscriber={person.subscriber} />}
      <ConsentEvidence person={person} />
      <ContactMails who={who} />
      <ContactEngagements who={who} />
    </Stack>
  )
}

function Unknown({ back }: { back: { to: string; label: string } }): ReactNode {
  const { t } = useTranslation('subscribers')
  return (
    <Page title={t('person')} back={back}>
      <Empty icon="person" title={t('nobodyKnown')} action={<ButtonLink to="subscribers">{t('toAudience')}</ButtonLink>}>
        {t('nobodyKnownWhy')}
      </Empty>
    </Page>
  )
}
