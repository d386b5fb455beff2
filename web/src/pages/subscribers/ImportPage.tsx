/**
 * The page shows one import in each state: choice of columns, dry run, import, result. A user may
 * leave it at any time.
 */
import { Alert, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ImportDetail } from '../../../../src/contract/workspace/imports.ts'
import { useAct, useAsk, useReload } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { ImportCountsView } from './ImportCountsView.tsx'
import { ImportPlanForm } from './ImportPlanForm.tsx'
import { ImportProgress } from './ImportProgress.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { audienceReads } from './words.ts'

/** The page polls a running import at this interval, in milliseconds. */
const pollMs = 500

const runs = (state: ImportDetail['state'] | undefined): boolean =>
  state === 'trying' || state === 'importing'

/** An import changes the answers of these operations, which other pages have read before. */
const brought = [
  ...audienceReads,
  'listSubscriberFields',
  'listSubscriberTags',
  'listImports',
] as const

/** Subscribers, tags and fields stay even when an import ends early. */
const hasBrought = (state: ImportDetail['state'] | undefined): boolean =>
  state === 'imported' || state === 'stopped' || state === 'failed'

export function ImportPage() {
  const { t } = useTranslation('subscribers')
  const { id = '' } = useParams({ strict: false })
  const poll = (last: unknown): number | false =>
    runs((last as ImportDetail | undefined)?.state) ? pollMs : false
  const read = useAsk('getImport', { params: { id } }, { poll })
  const { data } = read
  useReload(brought, hasBrought(data?.state))
  const title = data?.name ?? t('importTitle')
  return (
    <Page
      title={title}
      beside={data && <StateBadge t={t} prefix="importState" state={data.state} />}
      back={{ to: 'subscribers/import', label: t('importTitle') }}
      actions={data && <Discard detail={data} />}
    >
      <Loaded of={read}>{(result) => <Where detail={result} />}</Loaded>
    </Page>
  )
}

/** `Where` shows what the user can do in the import's state. */
function Where({ detail: result }: { detail: ImportDetail }) {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  if (runs(result.state)) return <ImportProgress detail={result} />
  if (result.state === 'imported')
    return <ImportCountsView counts={result.counts} detail={result} done />
  return (
    <Stack gap="lg">
      {result.state === 'failed' && <Failed detail={result} />}
      {result.state === 'stopped' && (
        <ImportCountsView counts={result.counts} detail={result} done />
      )}
      {result.has_file && mayEdit ? (
        <ImportPlanForm key={result.id} detail={result} />
      ) : (
        <Text size="md">{result.has_file ? t('importNotYours') : t('importFileGone')}</Text>
      )}
    </Stack>
  )
}

function Failed({
  detail: { failure, unknown_words: words, unknown_separators: separators },
}: {
  detail: ImportDetail
}) {
  const { t } = useTranslation('subscribers')
  // The form asks about them.
  if (words.length + separators.length > 0) return null
  const key = keyOf('fileRefusedCsv', failure?.['rule'] ?? '')
  const title = t(key, { line: failure?.['line'] ?? '', defaultValue: t('importFailed') })
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={title}>
      {failure?.['text'] ?? t('importFailedWhy')}
    </Alert>
  )
}

function Discard({ detail: { id, has_file: hasFile, state } }: { detail: ImportDetail }) {
  const { t } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const go = useGo()
  const { mutateAsync } = useAct('discardImport', { refresh: ['listImports'] })
  if (!mayEdit || !hasFile || runs(state)) return null
  return (
    <ConfirmButton
      label={t('discard')}
      icon="trash"
      title={t('discardTitle')}
      danger
      onConfirm={async () => {
        await mutateAsync({ params: { id } })
        await go('subscribers/import')
      }}
    >
      <Text>{t('discardWhat')}</Text>
    </ConfirmButton>
  )
}
