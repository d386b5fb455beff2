/** The page takes the file of an import, and lists the imports of the last thirty days. */
import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import type { ImportEntry } from '../../../../src/contract/workspace/imports.ts'
import { isFirstPage, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { FileDrop } from '../../parts/FileDrop.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { Uploading } from '../../parts/Uploading.tsx'
import { ImportRefusal } from './ImportRefusal.tsx'
import { importAccept, useImportUpload } from './use-import-upload.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'

export function ImportsPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const imports = useList('listImports', undefined, {
    poll: (last) => (isFirstPage(last) ? 5_000 : false),
  })
  const { search, nothing, ...table } = useWholeTable(imports, {
    textOf: ({ name, person: user }) => `${name} ${user ?? ''}`,
    orders: { name: ({ name }) => name, when: ({ created_at: at }) => at },
  })
  return (
    <Page
      title={t('importTitle')}
      about={t('importAbout')}
      back={{ to: 'subscribers', label: t('title') }}
    >
      {mayEdit && <Upload />}
      <Section title={t('importsBefore')} size="h4" beside={<TitleTotal total={table.total} />}>
        {search}
        <Listing
          label={t('importsBefore')}
          {...table}
          columns={useColumns()}
          idOf={({ id }) => id}
          linkOf={({ id }) => `subscribers/import/${id}`}
          empty={nothing ?? { icon: 'upload', title: t('noImports'), why: t('noImportsWhy') }}
        />
      </Section>
    </Page>
  )
}

function Upload() {
  const { t } = useTranslation('subscribers')
  const { take, isPending, upload, name, error } = useImportUpload()
  return (
    <Stack gap="sm">
      {isPending ? (
        <Uploading label={t('uploading', { name })} upload={upload} />
      ) : (
        <FileDrop
          label={t('dropHere')}
          accept={importAccept}
          bytesMax={audienceLimits.importFileBytes}
          onFile={take}
        />
      )}
      <ImportRefusal error={error} />
    </Stack>
  )
}

function useColumns(): Column<ImportEntry>[] {
  const { t, i18n } = useTranslation('subscribers')
  const say = (count: number | undefined): string =>
    count === undefined ? '–' : count.toLocaleString(i18n.language)
  return [
    { header: t('file'), sort: 'name', cell: ({ name }) => <UserText>{name}</UserText> },
    {
      header: t('state'),
      cell: ({ state }) => <StateBadge t={t} prefix="importState" state={state} />,
    },
    { header: t('countNew'), cell: ({ counts }) => say(counts?.new), align: 'end', short: true },
    {
      header: t('countUpdated'),
      cell: ({ counts }) => say(counts?.updated),
      align: 'end',
      short: true,
    },
    {
      header: t('countRefused'),
      cell: ({ counts }) => say(counts?.refused),
      align: 'end',
      short: true,
    },
    {
      header: t('broughtBy'),
      cell: ({ person: user }) => <UserText>{user ?? t('byCommand')}</UserText>,
      wideOnly: true,
    },
    {
      header: t('when'),
      sort: 'when',
      cell: ({ created_at: at }) => <Moment at={at} />,
      align: 'end',
    },
  ]
}
