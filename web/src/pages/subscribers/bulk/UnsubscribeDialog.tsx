/** The dialog asks why the contacts are unsubscribed: the words are stored as evidence of each. */
import { Text, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { audienceLimits } from 'virtual:contract'
import { useAct } from '../../../api/use-ask.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { confirmedRequest, useCountWords, type BulkDialogProps } from './selection.ts'

/** `title`: absent where the number of contacts is said. */
export function UnsubscribeDialog({
  selection,
  onDone,
  title,
  ...dialog
}: BulkDialogProps & { title?: string }) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const { mutateAsync } = useAct('unsubscribeContacts', { refresh: ['listBulkChanges'] })
  return (
    <FormDialog
      {...dialog}
      title={title ?? t('unsubscribeTitle', { contacts })}
      verb={t(title === undefined ? 'unsubscribeVerb' : 'unsubscribeOneVerb')}
      danger
      initial={{ reason: '' }}
      isReady={({ reason }) => reason.trim() !== ''}
      onSubmit={({ reason }) =>
        mutateAsync({ body: { ...confirmedRequest(selection), reason } }).then(onDone)
      }
    >
      {(form) => (
        <>
          <Text>{t(title === undefined ? 'unsubscribeWhat' : 'unsubscribeOneWhat')}</Text>
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
