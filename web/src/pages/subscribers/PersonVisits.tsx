/** What one person opened and clicked, told apart from what their mail program or a scanner did. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PersonVisit } from '../../../../src/contract/workspace/persons.ts'
import { useList } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Theirs } from '../../parts/Theirs.tsx'
import { Section } from './Section.tsx'
import { keyOf } from './words.ts'

const pageSize = 20

export function PersonVisits({ who }: { who: string }): ReactNode {
  const { t } = useTranslation('subscribers')
  const visits = useList('listPersonVisits', { params: { who }, query: { limit: pageSize } })
  return (
    <Section title={t('visits')} about={t('visitsAbout')}>
      <Listing
        label={t('visits')}
        read={visits}
        columns={useColumns()}
        idOf={({ id }) => id}
        empty={
          <Empty icon="image" title={t('noVisits')}>
            {t('noVisitsWhy')}
          </Empty>
        }
      />
    </Section>
  )
}

function useColumns(): Column<PersonVisit>[] {
  const { t } = useTranslation('subscribers')
  return [
    {
      header: t('what'),
      cell: ({ kind, url }) => <Theirs>{kind === 'click' ? (url ?? t('visitClick')) : t('visitOpen')}</Theirs>,
    },
    { header: t('inMail'), cell: ({ subject }) => <Theirs>{subject || t('noSubject')}</Theirs> },
    { header: t('visitor'), cell: ({ visitor }) => t(keyOf('visitor', visitor)), short: true },
    {
      header: t('program'),
      wideOnly: true,
      cell: ({ user_agent: agent }) => <Theirs look="small">{agent || '–'}</Theirs>,
    },
    { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end' },
  ]
}
