/** A page of what contacts can have: a form that adds one, and the list with its rows in place. */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { wholeList } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { Listing, type Column, type EmptyList } from '../../../parts/Listing.tsx'
import { Page } from '../../../parts/Page.tsx'

interface CatalogPageProps<Item> {
  title: string
  about: string
  read: UseQueryResult<{ data: Item[] }>
  columns: readonly Column<Item>[]
  /** The last column, for members who may edit. */
  deleting: Column<Item>
  idOf: (item: Item) => string
  empty: EmptyList
  adding: ReactNode
}

export function CatalogPage<Item extends object>({
  title,
  about,
  read,
  columns,
  deleting,
  idOf,
  empty,
  adding,
}: CatalogPageProps<Item>) {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  return (
    <Page title={title} about={about} back={{ to: 'subscribers', label: t('title') }}>
      {mayEdit && adding}
      <Listing
        label={title}
        read={wholeList(read, read.data?.data)}
        columns={mayEdit ? [...columns, { ...deleting, align: 'end', short: true }] : columns}
        idOf={idOf}
        empty={empty}
      />
    </Page>
  )
}
