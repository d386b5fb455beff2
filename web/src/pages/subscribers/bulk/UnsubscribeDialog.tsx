/** The dialog asks why the contacts are unsubscribed: the words are stored as evidence of each. */
import { Text, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../../api/use-ask.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { confirmedRequest, useCountWords, type BulkDialogProps } from './selection.ts'

export function UnsubscribeDialog({ selection, onDone, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const { mutateAsync } = useAct('unsubscribeContacts', { refresh: ['listBulkChanges'] })
  return (
    <FormDialog
      {...dialog}
      title={t('unsubscribeTitle', { contacts })}
      verb={t('unsubscribeVerb')}
      danger
      initial={{ reason: '' }}
      isReady={({ reason }) => reason.trim() !== ''}
      onSubmit={({ reason }) =>
        mutateAsync({ body: { ...confirmedRequest(selection), reason } }).then(onDone)
      }
    >
      {(form) => (
        <>
          <Text>{t('unsubscribeWhat')}</Text>
          <Textarea
            label={t('reason')}
            description={t('reasonWhy')}
            {...form.text('reason')}
            maxLength={audienceLimits.reasonMax}
            autosize
            minRows={2}
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}
