/** The dialog makes a segment of the list's filter. */
import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { segmentLimits } from 'virtual:contract'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { definitionOf } from './definition-of.ts'
import type { BulkDialogProps } from './selection.ts'

export function SaveSegmentDialog({
  selection,
  onDone,
  onSaved,
  ...dialog
}: BulkDialogProps & { onSaved?: (id: string) => void }) {
  const { t } = useTranslation('bulk')
  const { mutateAsync } = useAct('createSegment', {
    ...{ refresh: ['listSegments'], done: t('segmentSaved') },
  })
  const { data: segments } = useAsk('listSegments')
  const matching = 'matching' in selection ? selection.matching : {}
  const isSearched = (matching.q ?? '') !== ''
  return (
    <FormDialog
      {...dialog}
      title={t('saveSegment')}
      verb={t('saveSegmentVerb')}
      initial={{ name: '' }}
      isReady={({ name }) => name.trim() !== ''}
      onSubmit={async ({ name }) => {
        const definition = definitionOf(matching, segments?.data ?? [])
        const { id } = await mutateAsync({ body: { name, definition } })
        onSaved?.(id)
        onDone()
      }}
    >
      {(form) => (
        <>
          <Text>{t('saveSegmentWhat')}</Text>
          {isSearched && <Text fw={550}>{t('searchLeftOut')}</Text>}
          <TextInput
            label={t('segmentName')}
            {...form.text('name')}
            maxLength={segmentLimits.nameMax}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}
