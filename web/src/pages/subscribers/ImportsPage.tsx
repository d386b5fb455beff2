/** The page takes the file of an import, and lists the imports of the last thirty days. */
import { Alert, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import type { ImportEntry } from '../../../../src/contract/workspace/imports.ts'
import { Refusal } from '../../api/refusal.ts'
import { isFirstPage, useAct, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { FileDrop } from '../../parts/FileDrop.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { Uploading, useUpload } from '../../parts/Uploading.tsx'
import { readAsUtf8 } from './read-as-utf8.ts'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'

/** The contract has the same limit (src/contract/workspace/audience-limits.ts). */

export function ImportsPage() {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const imports = useList('listImports', undefined, {
    poll: (last) => (isFirstPage(last) ? 5_000 : false),
  })
  const { search, nothing, ...table } = useWholeTable(imports, {
    textOf: ({ name, person }) => `${name} ${person ?? ''}`,
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
  const go = useGo()
  const { mutateAsync, isPending } = useAct('uploadImport', { refresh: ['listImports'] })
  const upload = useUpload()
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const take = async (dropped: File): Promise<void> => {
    setName(dropped.name)
    setError(null)
    try {
      const { file, was } = await readAsUtf8(dropped)
      const { id } = await mutateAsync({
        query: { name: dropped.name.slice(0, 255) },
        file,
        ...upload.begin(file),
      })
      await go(`subscribers/import/${id}`, was === null ? {} : { was })
    } catch (refusal) {
      setError(refusal)
    }
  }
  return (
    <Stack gap="sm">
      {isPending ? (
        <Uploading label={t('uploading', { name })} upload={upload} />
      ) : (
        <FileDrop
          label={t('dropHere')}
          accept=".csv,.tsv,.txt,text/csv"
          bytesMax={audienceLimits.importFileBytes}
          onFile={(file) => void take(file)}
        />
      )}
      <Unreadable error={error} />
    </Stack>
  )
}

/**
 * The pages have words for known reasons to refuse a file; any other error shows its own message.
 */
function Unreadable({ error }: { error: unknown }) {
  const { t, i18n } = useTranslation('subscribers')
  if (!(error instanceof Refusal)) return <Failure error={error} />
  const { reason, line } = error.details
  const key = typeof reason === 'string' ? keyOf('fileRefused', reason) : ''
  if (!i18n.exists(`subscribers:${key}`)) return <Failure error={error} />
  return (
    <Alert
      color="red"
      icon={<Icon name="warning" />}
      role="alert"
      title={t(key, { line: typeof line === 'number' ? line : '' })}
    >
      {t('fileRefusedHelp')}
    </Alert>
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
