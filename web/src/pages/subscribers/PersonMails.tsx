/** Everything that was sent to one person, and what became of each. */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PersonMail } from '../../../../src/contract/workspace/persons.ts'
import { useList } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { Theirs } from '../../parts/Theirs.tsx'
import { Section } from './Section.tsx'
import { keyOf, mailTone } from './words.ts'

const pageSize = 20
/** What is on its way moves while it is looked at, in milliseconds. */
const pollMs = 5_000

export function PersonMails({ who }: { who: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const mails = useList('listPersonMails', { params: { who }, query: { limit: pageSize } }, { poll: pollMs })
  return (
    <Section title={t('mails')}>
      <Listing
        label={t('mails')}
        read={mails}
        columns={useColumns()}
        idOf={({ kind, id }) => `${kind} ${id}`}
        empty={
          <Empty icon="emails" title={t('noMails')}>
            {t('noMailsWhy')}
          </Empty>
        }
      />
    </Section>
  )
}

function useColumns(): Column<PersonMail>[] {
  const { t } = useTranslation('subscribers')
  return [
    { header: t('subject'), cell: (mail) => <Subject mail={mail} /> },
    { header: t('kind'), cell: ({ kind }) => t(keyOf('kind', kind)), short: true },
    { header: t('whatBecame'), cell: (mail) => <Outcome mail={mail} /> },
    { header: t('when'), cell: ({ sent_at: sentAt, at }) => <Moment at={sentAt ?? at} />, align: 'end' },
  ]
}

function Subject({ mail: { kind, id, name, subject } }: { mail: PersonMail }): ReactNode {
  const { t } = useTranslation('subscribers')
  return (
    <div>
      <PageLink to={kind === 'campaign' ? `campaigns/${id}` : `emails/${id}`} fw={550} size="sm">
        <Theirs>{subject || name || t('noSubject')}</Theirs>
      </PageLink>
      {name !== null && name !== subject && <Theirs look="small">{name}</Theirs>}
    </div>
  )
}

/** The state, why where it went wrong, and the opens and clicks that followed. */
function Outcome({ mail }: { mail: PersonMail }): ReactNode {
  const { t } = useTranslation('subscribers')
  const { error, response, opened_at: opened, clicked_at: clicked, unsubscribed_at: left } = mail
  // Called off before its turn: that is no failure.
  const status = mail.status === 'failed' && error === 'cancelled' ? 'canceled' : mail.status
  const after = [
    clicked !== null && t('wasClicked'),
    opened !== null && clicked === null && t('wasOpened'),
    left !== null && t('wasLeft'),
  ]
  return (
    <Stack gap={2} align="flex-start">
      <Status tone={mailTone(status)}>{t(keyOf('mail', status))}</Status>
      {after.filter(Boolean).map((words) => (
        <Text size="xs" key={String(words)}>
          {words}
        </Text>
      ))}
      {status !== 'canceled' && (error ?? (mailTone(status) === 'bad' ? response : null)) !== null && (
        <Theirs look="small">{error ?? response ?? ''}</Theirs>
      )}
    </Stack>
  )
}
