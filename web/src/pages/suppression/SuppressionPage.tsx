/**
 * The page lists suppressed addresses: how many there are, those that a reason, a text and days
 * select, and what is done with those selected.
 */
import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { reasonsLiftedTogether } from 'virtual:contract'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { type Column, Listing } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { AddAddress } from './AddAddress.tsx'
import { AddressState, Cause, type CauseEntry } from './AddressState.tsx'
import { LiftSelected } from './LiftSelected.tsx'
import { LiftSuppression } from './LiftSuppression.tsx'
import { SuppressionFilters } from './SuppressionFilters.tsx'
import { noSuppressionFilter, useSuppressionView, type View } from './use-view.ts'

/** With fewer entries than these, a search asks for the next page at once. */
const enough = 25

export function SuppressionPage() {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const view = useSuppressionView()
  return (
    <Page
      title={t('title')}
      beside={<TitleTotal total={view.total} />}
      about={t('about')}
      {...(mayEdit && {
        more: [{ label: t('import'), icon: 'upload' as const, to: 'suppression/import' }],
        main: <AddAddress />,
      })}
    >
      <SuppressionFilters view={view} />
      {view.address !== null && <AddressState key={view.address} email={view.address} />}
      <Entries view={view} />
    </Page>
  )
}

function Entries({ view: { query, total, removable } }: { view: View }) {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const change = useChangeFilters()
  const read = useList('listSuppression', { query })
  const isSearching = useSearchFurther(read, query.q === undefined ? 0 : enough)
  const isFiltered = Object.keys(query).length > 0
  return (
    <Listing<CauseEntry, View['removable']['filter']>
      label={t('title')}
      read={{ ...read, isLoading: read.isLoading || (isSearching && read.items.length === 0) }}
      columns={columnsOf(t, mayEdit)}
      idOf={({ id }) => id}
      total={total}
      empty={
        isFiltered
          ? {
              icon: 'filter',
              title: t('noMatch'),
              clear: { label: t('clearFilters'), onClick: () => change(noSuppressionFilter) },
            }
          : {
              icon: 'suppression',
              title: t('none'),
              action: mayEdit && <AddAddress />,
              why: t('noneWhy'),
            }
      }
      {...(mayEdit && {
        selecting: {
          labelOf: ({ email }: CauseEntry) => email,
          maySelect: ({ email, reason }: CauseEntry) =>
            email !== erased && reasonsLiftedTogether.includes(reason),
          view: JSON.stringify(query),
          matching: removable,
          renderBar: (props) => <LiftSelected {...props} />,
        },
      })}
    />
  )
}

/** The service stores the suppression of an erased contact by a digest alone. */
const erased = 'erased@invalid'

const columnsOf = (t: TFunction<'suppression'>, mayEdit: boolean): Column<CauseEntry>[] => [
  {
    header: t('address'),
    cell: ({ email }) =>
      email === erased ? <Text>{t('erased')}</Text> : <UserText>{email}</UserText>,
  },
  {
    header: t('reason'),
    short: true,
    narrow: 'bare',
    cell: ({ reason }) => t(keyOf('reason', reason)),
  },
  { header: t('since'), narrow: 'bare', cell: ({ created_at: at }) => <Moment at={at} /> },
  { header: t('cause'), wideOnly: true, short: true, cell: (entry) => <Cause entry={entry} /> },
  ...(mayEdit
    ? [
        {
          header: t('actions'),
          align: 'end' as const,
          cell: ({ email }: CauseEntry) =>
            email === erased ? null : <LiftSuppression email={email} />,
        },
      ]
    : []),
]
