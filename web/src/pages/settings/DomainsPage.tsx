/**
 * Domains: from which of them the workspace may write, and which still wait for their DNS records.
 */
import { Button } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { AddDomain } from './AddDomain.tsx'
import { DomainStatus } from './DomainStatus.tsx'

export function DomainsPage() {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const [isAdding, setAdding] = useState(false)
  const domains = useList(
    'listDomains',
    {},
    { poll: (last) => (isFirstPage(last) ? 15_000 : false) },
  )
  const add = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      {t('addDomain')}
    </Button>
  )
  const { search, nothing, ...table } = useWholeTable(domains, {
    textOf: ({ name }) => name,
    orders: { name: ({ name }) => name, added: ({ created_at: at }) => at },
  })
  return (
    <Page
      title={t('domains')}
      beside={<TitleTotal total={table.total} />}
      about={t('domainsAbout')}
      main={add}
    >
      {search}
      <Listing
        label={t('domains')}
        {...table}
        idOf={({ name }) => name}
        linkOf={({ name }) => `settings/domains/${name}`}
        empty={
          nothing ?? { icon: 'domains', title: t('noDomains'), action: add, why: t('noDomainsWhy') }
        }
        columns={columnsOf(t)}
      />
      <AddDomain opened={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}

const columnsOf = (t: TFunction<'settings'>): Column<ItemOf<'listDomains'>>[] => [
  {
    header: t('domain'),
    sort: 'name',
    cell: ({ name }) => <UserText variant="strong">{name}</UserText>,
  },
  { header: t('state'), cell: (domain) => <DomainStatus of={domain} /> },
  {
    header: t('lookedAt'),
    cell: ({ checked_at: at }) => (at === null ? t('notYet') : <Moment at={at} />),
    short: true,
  },
  {
    header: t('added'),
    sort: 'added',
    cell: ({ created_at: at }) => <Moment at={at} />,
    wideOnly: true,
  },
]
