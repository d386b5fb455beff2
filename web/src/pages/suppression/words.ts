/** Why addresses are suppressed, in the reader's words. */
import type { ParseKeys } from 'i18next'
import type { SuppressionReason } from '../../../../src/contract/suppression.ts'

export const reasons: readonly SuppressionReason[] = [
  'complaint',
  'bounce',
  'unsubscribe',
  'manual',
]

/** What a change of the list is seen in. */
export const listReads = ['listSuppression', 'countSuppression'] as const

/** Why lines of a file are refused: any other reason is about the address. */
export const refusalKey = (reason: string): ParseKeys<'suppression'> =>
  reason === 'email.missing'
    ? 'lineNoAddress'
    : reason === 'reason'
      ? 'lineReason'
      : reason.startsWith('cells.')
        ? 'lineCells'
        : 'lineAddress'

const failureKeys: Record<string, ParseKeys<'suppression'> | undefined> = {
  no_address_column: 'fileNoAddress',
  csv_empty: 'fileEmpty',
  csv_not_utf8: 'fileNotUtf8',
  csv_utf16: 'fileNotUtf8',
}

export const failureKey = (failure: string): ParseKeys<'suppression'> =>
  failureKeys[failure] ?? 'fileBroken'
