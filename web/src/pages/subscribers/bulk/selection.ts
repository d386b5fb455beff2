/** A selection of contacts as the list hands it over, and as the service takes it. */
import { useTranslation } from 'react-i18next'
import type { InputOf } from '../../../../../src/contract/operations.ts'
import { sayTotal, type Total } from '../../../parts/table/say-total.ts'
import type { DialogProps } from '../../../parts/FormDialog.tsx'

type Requested = InputOf<'eraseContacts'>['body']['selection']
export type Matching = NonNullable<Requested['matching']>

export type BulkSelection =
  | { ids: string[] }
  /** `total`: how many match now, as the list shows it. */
  | { matching: Matching; total: Total }

export const countOf = (selection: BulkSelection): number =>
  'ids' in selection ? selection.ids.length : selection.total.count

/** In the reader's digits. */
export const saySelected = (selection: BulkSelection, language: string): string =>
  sayTotal(
    'ids' in selection ? { count: countOf(selection), more: false } : selection.total,
    language,
  )

export const selectionRequest = (selection: BulkSelection): Requested =>
  'ids' in selection ? { ids: selection.ids } : { matching: selection.matching }

/** What is not undone is for as many as the dialog said: more are refused. */
export const confirmedRequest = (
  selection: BulkSelection,
): { selection: Requested; expected?: number } => ({
  selection: selectionRequest(selection),
  ...('total' in selection && { expected: selection.total.count }),
})

export interface BulkDialogProps extends DialogProps {
  selection: BulkSelection
  onDone: () => void
}

/** How many it is for, in words. */
export function useCountWords(selection: BulkSelection): string {
  const { t, i18n } = useTranslation('bulk')
  return t('contacts', { count: countOf(selection), number: saySelected(selection, i18n.language) })
}
