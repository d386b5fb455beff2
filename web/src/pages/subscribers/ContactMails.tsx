/**
 * The section lists all mails to one contact with their outcomes, then the contact's opens and
 * clicks.
 */
import { Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ContactEngagement, ContactMail } from '../../../../src/contract/workspace/contacts.ts'
import { useList } from '../../api/use-ask.ts'
import { PageLink } from '../../parts/links.tsx'
import { type Column, Listing } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge, toneOf } from '../../parts/StateBadge.tsx'

const pageSize = 20
/**
 * The list reads the mails again at this interval, in milliseconds, because mail on its way changes
 * its state.
 */
const pollMs = 5_000

export function ContactMails({ who }: { who: string }) {
  const { t } = useTranslation('subscribers')
  const mails = useList(
    'listContactMails',
    { params: { who }, query: { limit: pageSize } },
    { poll: pollMs },
  )
  return (
    <Section size="h4" title={t('mails')}>
      <Listing
        label={t('mails')}
        read={mails}
        columns={mailColumns(t)}
        idOf={({ kind, id }) => `${kind} ${id}`}
        empty={{ icon: 'emails', title: t('noMails'), why: t('noMailsWhy') }}
      />
    </Section>
  )
}

const mailColumns = (t: TFunction<'subscribers'>): Column<ContactMail>[] => [
  { header: t('subject'), cell: (mail) => <Subject mail={mail} /> },
  { header: t('kind'), cell: ({ kind }) => t(keyOf('kind', kind)), short: true },
  { header: t('whatBecame'), cell: (mail) => <Outcome mail={mail} /> },
  {
    header: t('when'),
    cell: ({ sent_at: sentAt, at }) => <Moment at={sentAt ?? at} />,
    align: 'end',
  },
]

function Subject({ mail: { kind, id, name, subject } }: { mail: ContactMail }) {
  const { t } = useTranslation('subscribers')
  return (
    <div>
      <PageLink to={kind === 'campaign' ? `campaigns/${id}` : `emails/${id}`} fw={550} size="sm">
        <UserText>{subject || name || t('noSubject')}</UserText>
      </PageLink>
      {name !== null && name !== subject && <UserText variant="small">{name}</UserText>}
    </div>
  )
}

/** The cell shows the state, the reason of a failure, and the opens and clicks that followed. */
function Outcome({ mail }: { mail: ContactMail }) {
  const { t } = useTranslation('subscribers')
  const { error, response, opened_at: opened, clicked_at: clicked, unsubscribed_at: left } = mail
  // A mail that a user cancelled before its turn did not fail.
  const status = mail.status === 'failed' && error === 'cancelled' ? 'canceled' : mail.status
  const after = [
    clicked !== null && t('wasClicked'),
    opened !== null && clicked === null && t('wasOpened'),
    left !== null && t('wasLeft'),
  ]
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge
        t={t}
        prefix="mail"
        state={status}
        {...(status === 'suppressed' && { tone: 'quiet' })}
      />
      {after.filter(Boolean).map((words) => (
        <Text size="xs" key={String(words)}>
          {words}
        </Text>
      ))}
      {status !== 'canceled' &&
        (error ?? (toneOf(status) === 'bad' ? response : null)) !== null && (
          <UserText variant="small">{error ?? response ?? ''}</UserText>
        )}
    </Stack>
  )
}

/** The list separates the contact's opens and clicks from those of mail programs and scanners. */
export function ContactEngagements({ who }: { who: string }) {
  const { t } = useTranslation('subscribers')
  const engagements = useList('listContactEngagement', {
    params: { who },
    query: { limit: pageSize },
  })
  return (
    <Section size="h4" title={t('engagements')} about={t('engagementsAbout')}>
      <Listing
        label={t('engagements')}
        read={engagements}
        columns={engagementColumns(t)}
        idOf={({ id }) => id}
        empty={{ icon: 'image', title: t('noEngagements'), why: t('noEngagementsWhy') }}
      />
    </Section>
  )
}

const engagementColumns = (t: TFunction<'subscribers'>): Column<ContactEngagement>[] => [
  {
    header: t('what'),
    cell: ({ kind, url }) => (
      <UserText>{kind === 'click' ? (url ?? t('engagementClick')) : t('engagementOpen')}</UserText>
    ),
  },
  { header: t('inMail'), cell: ({ subject }) => <UserText>{subject || t('noSubject')}</UserText> },
  { header: t('visitor'), cell: ({ visitor }) => t(keyOf('visitor', visitor)), short: true },
  {
    header: t('program'),
    wideOnly: true,
    cell: ({ user_agent: agent }) => <UserText variant="small">{agent || '–'}</UserText>,
  },
  { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end' },
]
