/** What the page of subscribers leads to, and the export of all that its list shows. */
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PageAction } from '../../parts/more-actions.tsx'
import { ExportAllDialog } from './bulk/ConfirmDialogs.tsx'
import type { Matching } from './bulk/selection.ts'

interface ActionsProps {
  mayEdit: boolean
  /** Null: the list shows nothing. */
  matching: Matching | null
}

export function useAudienceActions({ mayEdit, matching }: ActionsProps): {
  more: PageAction[]
  dialog: ReactNode
} {
  const { t } = useTranslation('subscribers')
  const [opened, { open, close }] = useDisclosure()
  const more: PageAction[] = [
    { label: t('segments'), to: 'segments' },
    { label: t('fields'), to: 'subscribers/fields' },
    { label: t('topics'), to: 'subscribers/topics' },
  ]
  if (!mayEdit) return { more, dialog: null }
  const label = matching && Object.keys(matching).length > 0 ? t('exportThese') : t('exportAll')
  if (matching) more.push({ label, icon: 'download', onClick: open })
  more.push({ label: t('import'), icon: 'upload', to: 'subscribers/import' })
  return {
    more,
    dialog: matching && <ExportAllDialog {...{ opened, matching }} onClose={close} />,
  }
}
