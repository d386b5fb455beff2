/** These dialogs ask before an export and an erasure; the service asks who it is. */
import { List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../../api/client.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Confirm } from '../../../parts/Confirm.tsx'
import { countOf, requestOf, useCountWords, type BulkDialogProps } from './selection.ts'

export function ExportDialog({ selection, onDone, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const { mutateAsync } = useAct('exportContacts', { refresh: ['listBulkChanges'] })
  const begin = async (): Promise<void> => {
    const { id } = await mutateAsync({ body: { selection: requestOf(selection) } })
    window.location.assign(addressOf('downloadBulkExport', { params: { id } }))
    onDone()
  }
  return (
    <Confirm
      {...dialog}
      title={t('exportTitle', { contacts })}
      verb={t('exportVerb')}
      onConfirm={begin}
    >
      <Text>{t('exportWhat')}</Text>
    </Confirm>
  )
}

export function EraseDialog({ selection, onDone, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const { t: words } = useTranslation('subscribers')
  const contacts = useCountWords(selection)
  const { mutateAsync } = useAct('eraseContacts', { refresh: ['listBulkChanges'] })
  return (
    <Confirm
      {...dialog}
      title={t('eraseTitle', { contacts })}
      verb={t('eraseVerb')}
      danger
      typed={String(countOf(selection))}
      onConfirm={() => mutateAsync({ body: { selection: requestOf(selection) } }).then(onDone)}
    >
      <Text>{t('eraseWhat')}</Text>
      <List size="sm" my="xs">
        <List.Item>{words('eraseGoes')}</List.Item>
        <List.Item>{words('eraseStays')}</List.Item>
        <List.Item>{words('eraseBackups')}</List.Item>
      </List>
    </Confirm>
  )
}
