/** Shows how far one file of suppressed addresses is, and offers its refused lines as a file. */
import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../../api/client.ts'
import { useMay } from '../../api/use-role.ts'
import { knownList, useAsk, useReload } from '../../api/use-ask.ts'
import { languageNow } from '../../language.ts'
import { Icon } from '../../parts/Icon.tsx'
import { DownloadButton } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Progress } from '../../parts/Progress.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { failureKey, refusalKey } from './words.ts'

type Import = Got<'getSuppressionImport'>

const isRunning = (last: unknown): boolean =>
  typeof last === 'object' && last !== null && 'status' in last && last.status === 'running'

const brought = ['listSuppression', 'listSuppressionImports'] as const

export function ImportReport({ id }: { id: string }) {
  const { t } = useTranslation('suppression')
  const report = useAsk(
    'getSuppressionImport',
    { params: { id } },
    { poll: (last) => (last === undefined || isRunning(last) ? 700 : false) },
  )
  useReload(brought, report.data !== undefined && !isRunning(report.data))
  return (
    <PaperSection title={t('report')} gap="md" p="md" radius="md">
      <Loaded of={report} height={80}>
        {(result) => <Shown report={result} />}
      </Loaded>
    </PaperSection>
  )
}

function Shown({ report: result }: { report: Import }) {
  const { t, i18n } = useTranslation('suppression')
  const figures: [string, number][] = [
    [t('lines'), result.lines],
    [t('newlySuppressed'), result.added],
    [t('suppressedBefore'), result.known],
    [t('refusedLines'), result.refused],
  ]
  return (
    <>
      {result.status === 'running' && (
        <Progress label={t('importRunning')} done={Math.round(result.progress * 100)} total={100} />
      )}
      {result.failure !== null && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert" title={t('importFailed')}>
          {t(failureKey(result.failure))}
        </Alert>
      )}
      {result.status === 'interrupted' && (
        <Alert
          color="yellow"
          icon={<Icon name="warning" />}
          role="alert"
          title={t('importInterrupted')}
        >
          {t('importInterruptedWhy')}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }} role="status">
        {figures.map(([label, count]) => (
          <div key={label}>
            <Text c="dimmed">{label}</Text>
            <Text size="md" fw={600}>
              {Math.max(0, count).toLocaleString(i18n.language)}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {result.refusals.length > 0 && <Refusals report={result} />}
    </>
  )
}

function Refusals({ report: result }: { report: Import }) {
  const { t } = useTranslation('suppression')
  const mayEdit = useMay('editor')
  const shown = result.refusals
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text>{t('refusedFirst', { count: shown.length })}</Text>
        {mayEdit && (
          <DownloadButton
            size="xs"
            href={addressOf('downloadSuppressionRefusals', {
              params: { id: result.id },
              query: { language: languageNow() },
            })}
          >
            {t('keepRefused')}
          </DownloadButton>
        )}
      </Group>
      <Listing
        label={t('refusedLines')}
        read={knownList(shown)}
        columns={columnsOf(t)}
        idOf={({ line }) => String(line)}
      />
    </Stack>
  )
}

const columnsOf = (t: TFunction<'suppression'>): Column<Import['refusals'][number]>[] => [
  { header: t('line'), width: '6rem', cell: ({ line }) => line },
  { header: t('address'), cell: ({ email }) => <UserText>{email || '–'}</UserText> },
  { header: t('why'), cell: ({ reason }) => t(refusalKey(reason)) },
]
