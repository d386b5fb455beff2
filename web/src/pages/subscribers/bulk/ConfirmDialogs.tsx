/** These dialogs ask before an export and an erasure; the service asks who it is. */
import { List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../../api/client.ts'
import { useAct } from '../../../api/use-ask.ts'
import { Confirm } from '../../../parts/Confirm.tsx'
import type { DialogProps } from '../../../parts/FormDialog.tsx'
import {
  confirmedRequest,
  countOf,
  selectionRequest,
  useCountWords,
  type BulkDialogProps,
  type Matching,
} from './selection.ts'

/** Exports all that match, however many they are. */
export function ExportAllDialog({
  matching,
  ...dialog
}: { matching: Matching } & Pick<DialogProps, 'opened' | 'onClose'>) {
  const { t } = useTranslation('bulk')
  const begin = useExport()
  return (
    <Confirm
      {...dialog}
      title={t('exportTitle', { contacts: t('allThatMatch') })}
      verb={t('exportVerb')}
      onConfirm={() => begin({ matching })}
    >
      <Text>{t('exportWhat')}</Text>
    </Confirm>
  )
}

export function ExportDialog({ selection, onDone, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('bulk')
  const contacts = useCountWords(selection)
  const begin = useExport()
  return (
    <Confirm
      {...dialog}
      title={t('exportTitle', { contacts })}
      verb={t('exportVerb')}
      onConfirm={() => begin(selectionRequest(selection)).then(onDone)}
    >
      <Text>{t('exportWhat')}</Text>
    </Confirm>
  )
}

/** Who it is was just confirmed, and the file is downloaded at once. */
function useExport(): (selection: ReturnType<typeof selectionRequest>) => Promise<void> {
  const { mutateAsync } = useAct('exportContacts', { refresh: ['listBulkChanges'] })
  return async (selection) => {
    const { id } = await mutateAsync({ body: { selection } })
    window.location.assign(addressOf('downloadBulkExport', { params: { id } }))
  }
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
      onConfirm={() => mutateAsync({ body: confirmedRequest(selection) }).then(onDone)}
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
