/** A selection of contacts as the list hands it over, and as the service takes it. */
import { useTranslation } from 'react-i18next'
import type { InputOf } from '../../../../../src/contract/operations.ts'
import type { DialogProps } from '../../../parts/FormDialog.tsx'

type Requested = InputOf<'eraseContacts'>['body']['selection']
export type Matching = NonNullable<Requested['matching']>

export type BulkSelection =
  | { ids: string[] }
  /** `total`: how many match now, as the list shows it. */
  | { matching: Matching; total: number }

export const countOf = (selection: BulkSelection): number =>
  'ids' in selection ? selection.ids.length : selection.total

export const selectionRequest = (selection: BulkSelection): Requested =>
  'ids' in selection ? { ids: selection.ids } : { matching: selection.matching }

export interface BulkDialogProps extends DialogProps {
  selection: BulkSelection
  onDone: () => void
}

/** How many it is for, in words. */
export function useCountWords(selection: BulkSelection): string {
  const { t, i18n } = useTranslation('bulk')
  const count = countOf(selection)
  return t('contacts', { count, number: count.toLocaleString(i18n.language) })
}
