/** The places of the ledger with their counts, and whether they make up the frozen list. */
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'

const places = ['pending', 'sent', 'failed', 'cancelled', 'suppressed', 'in_doubt'] as const
export type LedgerPlace = (typeof places)[number]

export interface LedgerSum {
  counts: Record<LedgerPlace, number>
  /** The places that have a figure. */
  shown: LedgerPlace[]
  sum: number
  addsUp: boolean
  /** Recipients that have their outcome. */
  done: number
}

export function ledgerSum({
  campaign: { recipients, progress },
  cancelled,
}: CampaignRun): LedgerSum {
  // Recipients that users cancelled did not fail.
  const counts = { ...progress, failed: progress.failed - cancelled, cancelled }
  const shown = places.filter((location) => location !== 'cancelled' || cancelled > 0)
  const sum = shown.reduce((all, location) => all + counts[location], 0)
  return { counts, shown, sum, addsUp: sum === recipients, done: recipients - progress.pending }
}
