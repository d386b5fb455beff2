/**
 * The page shows one contact: whether they can get mail and why, the record, and everything that
 * happened in one list.
 */
import { Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { refusalCode } from '../../api/refusal.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ButtonLink, useGo } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { Mailable } from './Mailable.tsx'
import { Copyable } from '../../parts/CopyField.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { BulkProgress } from './bulk/BulkProgress.tsx'
import { ContactActions, ErasureRequest } from './ContactActions.tsx'
import { ContactRecordView } from './ContactRecordView.tsx'
import { ContactTimeline } from './ContactTimeline.tsx'
import { fullName, keyOfChanges, subscriberTone, type KnownContact } from './words.ts'

export function ContactPage() {
  const { t } = useTranslation('subscribers')
  const { who = '' } = useParams({ strict: false })
  const read = useAsk('getContact', { params: { who } })
  const back = { to: 'subscribers', label: t('title') }
  if (refusalCode(read.error) === 'not_found') return <Unknown back={back} />
  const { data } = read
  const subscriber = data?.subscriber
  const name = subscriber ? fullName(subscriber) : ''
  return (
    <Page
      title={name || (data?.email ?? t('person'))}
      about={
        data && (
          <Copyable value={data.email} label={t('address')}>
            {name !== '' && <UserText>{data.email}</UserText>}
          </Copyable>
        )
      }
      beside={
        subscriber && (
          <StateBadge
            t={t}
            prefix="status"
            state={subscriber.status}
            tone={subscriberTone(subscriber.status)}
          />
        )
      }
      back={back}
      actions={data && <ContactActions contact={data} />}
    >
      <Loaded of={read} height={320}>
        {(contact) => <Known contact={contact} who={who} />}
      </Loaded>
    </Page>
  )
}

function Known({ contact, who }: { contact: KnownContact; who: string }) {
  const go = useGo()
  return (
    <Stack gap="xl">
      <BulkProgress contact={keyOfChanges(contact)} onErased={() => void go('subscribers')} />
      <ErasureRequest contact={contact} />
      <Mailable contact={contact} />
      {contact.subscriber && (
        <ContactRecordView subscriber={contact.subscriber} last={contact.last_engagement} />
      )}
      <ContactTimeline contact={contact} who={who} />
    </Stack>
  )
}

function Unknown({ back }: { back: { to: string; label: string } }) {
  const { t } = useTranslation('subscribers')
  return (
    <Page title={t('person')} back={back}>
      <Empty
        icon="user"
        title={t('nobodyKnown')}
        action={<ButtonLink to="subscribers">{t('toAudience')}</ButtonLink>}
      >
        {t('nobodyKnownWhy')}
      </Empty>
    </Page>
  )
}
