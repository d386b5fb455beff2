/** How far a dry run or an import is, with a button that stops it. */
import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ImportDetail } from '../../../../src/contract/workspace/imports.ts'
import { useAct } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Progress } from '../../parts/Progress.tsx'
import { ImportCountsView } from './ImportCountsView.tsx'

export function ImportProgress({ detail: result }: { detail: ImportDetail }) {
  const { t, i18n } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const { mutate, isPending, error } = useAct('stopImport', { refresh: ['getImport'] })
  const isReading = result.counts === null
  const label = isReading
    ? t('readingFile')
    : result.state === 'trying'
      ? t('trying')
      : t('importing')
  const say = (count: number): string => count.toLocaleString(i18n.language)
  const done = result.counts?.people ?? 0
  // The dry run counts the subscribers of a file.
  const total = result.state === 'importing' ? result.trial?.people : undefined
  const words =
    total === undefined
      ? t('peopleDone', { count: done, done: say(done) })
      : t('peopleOf', { count: total, done: say(done), total: say(total) })
  return (
    <Stack gap="lg" maw={720}>
      <Progress
        label={label}
        done={result.size_done}
        total={result.size}
        words={isReading ? t('readingFileWhy') : words}
      />
      <ImportCountsView counts={result.counts} detail={result} />
      <Text c="dimmed">{t('mayLeave')}</Text>
      {mayEdit && (
        <div>
          <Button
            variant="default"
            loading={isPending}
            onClick={() => mutate({ params: { id: result.id } })}
          >
            {t('stop')}
          </Button>
        </div>
      )}
      <Failure error={error} />
    </Stack>
  )
}
