/** The dialog gives the contacts the same value of a field; its input is that of the field's type. */
import { Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { FieldInput } from '../FieldInput.tsx'
import { selectionRequest, useCountWords, type BulkDialogProps } from './selection.ts'

export function SetFieldDialog({ selection, onDone, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const { data } = useAsk('listSubscriberFields')
  const { mutateAsync } = useAct('setContactsField', { refresh: ['listBulkChanges'] })
  const fields = data?.data ?? []
  return (
    <FormDialog
      {...dialog}
      title={t('setFieldTitle', { contacts })}
      verb={t('setFieldVerb')}
      initial={{ field: '', value: '' }}
      isReady={({ field }) => field !== ''}
      onSubmit={(body) =>
        mutateAsync({ body: { selection: selectionRequest(selection), ...body } }).then(onDone)
      }
    >
      {(form) => {
        const chosen = fields.find(({ key }) => key === form.values.field)
        return (
          <>
            <Select
              label={t('fieldName')}
              data={fields.map(({ key, label }) => ({ value: key, label: label ?? key }))}
              value={form.values.field || null}
              onChange={(field) => form.set({ field: field ?? '', value: '' })}
              nothingFoundMessage={t('noFields')}
              searchable
              data-autofocus
            />
            {chosen && <FieldInput key={chosen.key} field={chosen} {...form.pick('value')} />}
            {chosen && form.values.value === '' && <Text c="dimmed">{t('fieldCleared')}</Text>}
          </>
        )
      }}
    </FormDialog>
  )
}
