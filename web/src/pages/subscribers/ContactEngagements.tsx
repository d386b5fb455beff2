/** What one contact opened and clicked, apart from what their mail program or a scanner did. */
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ContactEngagement } from '../../../../src/contract/workspace/contacts.ts'
import { useList } from '../../api/use-ask.ts'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'

const pageSize = 20

export function ContactEngagements({ who }: { who: string }) {
  const { t } = useTranslation('subscribers')
  const engagements = useList('listContactEngagement', { params: { who }, query: { limit: pageSize } })
  return (
    <Section size="h4" title={t('engagements')} about={t('engagementsAbout')}>
      <Listing
        label={t('engagements')}
        read={engagements}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        empty={{ icon: 'image', title: t('noEngagements'), why: t('noEngagementsWhy') }}
      />
    </Section>
  )
}

const columnsOf = (t: TFunction<'subscribers'>): Column<ContactEngagement>[] => [
  {
    header: t('what'),
    cell: ({ kind, url }) => <UserText>{kind === 'click' ? (url ?? t('engagementClick')) : t('engagementOpen')}</UserText>,
  },
  { header: t('inMail'), cell: ({ subject }) => <UserText>{subject || t('noSubject')}</UserText> },
  { header: t('visitor'), cell: ({ visitor }) => t(keyOf('visitor', visitor)), short: true },
  {
    header: t('program'),
    wideOnly: true,
    cell: ({ user_agent: agent }) => <UserText look="small">{agent || '–'}</UserText>,
  },
  { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end' },
]
