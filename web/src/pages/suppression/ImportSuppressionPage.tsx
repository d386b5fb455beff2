/** Suppresses the addresses of a file, and shows its progress and the refused lines. */
import { NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import type { SuppressionReason } from '../../../../src/contract/suppression.ts'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { FileDrop } from '../../parts/FileDrop.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { Uploading, useUpload } from '../../parts/Uploading.tsx'
import { ImportReport } from './ImportReport.tsx'
import { reasons } from './words.ts'

export function ImportSuppressionPage() {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const [reason, setReason] = useState<SuppressionReason>('manual')
  const [id, setId] = useFilter('import')
  const act = useAct('importSuppression', { refresh: ['listSuppressionImports'] })
  const upload = useUpload()
  const isBusy = useEarlier().data?.data.some(isRunning) ?? false
  const begin = (file: File): void =>
    act.mutate(
      { query: { reason }, file, ...upload.begin(file) },
      { onSuccess: (started) => setId(started.id) },
    )
  return (
    <Page
      title={t('importTitle')}
      about={t('importAbout')}
      back={{ to: 'suppression', label: t('title') }}
    >
      {mayEdit && (
        <Stack maw={640}>
          <NativeSelect
            label={t('importReason')}
            description={t('importReasonWhy')}
            value={reason}
            onChange={(event) =>
              setReason(reasons.find((known) => known === event.currentTarget.value) ?? 'manual')
            }
            data={reasons.map((value) => ({ value, label: t(keyOf('reason', value)) }))}
          />
          {act.isPending ? (
            <Uploading label={t('uploading')} upload={upload} />
          ) : (
            <FileDrop
              label={isBusy ? t('importBusy') : t('importDrop')}
              accept=".csv,.txt,text/csv"
              bytesMax={audienceLimits.suppressionFileBytes}
              onFile={begin}
              disabled={isBusy}
            />
          )}
          <Failure error={act.error} />
        </Stack>
      )}
      {id !== '' && <ImportReport key={id} id={id} />}
      <Earlier />
    </Page>
  )
}

type Import = ItemOf<'listSuppressionImports'>

const isRunning = ({ status }: Import): boolean => status === 'running'

/** The page polls faster while an import runs, because the next file may come when it is done. */
const useEarlier = () =>
  useAsk('listSuppressionImports', undefined, {
    poll: (last) =>
      (last as Got<'listSuppressionImports'> | undefined)?.data.some(isRunning) ? 1_000 : 5_000,
  })

function Earlier() {
  const { t } = useTranslation('suppression')
  const columns = useColumns()
  const read = useEarlier()
  if (read.data?.data.length === 0) return null
  return (
    <Section title={t('earlier')} gap="md">
      <Listing
        label={t('earlier')}
        read={wholeList(read, read.data?.data)}
        columns={columns}
        idOf={({ id }) => id}
      />
    </Section>
  )
}

function useColumns(): Column<Import>[] {
  const { t, i18n } = useTranslation('suppression')
  const say = (count: number): string => count.toLocaleString(i18n.language)
  return [
    {
      header: t('started'),
      cell: ({ id, started_at: at }) => (
        <PageLink to="suppression/import" search={{ import: id }}>
          <Moment at={at} exact />
        </PageLink>
      ),
    },
    {
      header: t('state'),
      cell: ({ status }) => <StateBadge t={t} prefix="import" state={status} />,
    },
    { header: t('newlySuppressed'), align: 'end', short: true, cell: ({ added }) => say(added) },
    { header: t('suppressedBefore'), align: 'end', short: true, cell: ({ known }) => say(known) },
    { header: t('refusedLines'), align: 'end', short: true, cell: ({ refused }) => say(refused) },
  ]
}
