/** Which page a campaign opens on. */
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { ledgerSum } from './ledger-sum.ts'

export type RunTab = 'results' | 'delivery' | 'recipients'

/** A draft, or a campaign that became one again. */
export const isBeforeSend = ({ campaign: { status } }: CampaignRun): boolean =>
  status === 'draft' || status === 'scheduled'

/**
 * Its results once mails left, which say how many failed; the ledger where it does not add up or a
 * recipient is in doubt. Null while there is nothing but the page of the campaign itself.
 */
export function frontTab(run: CampaignRun): RunTab | null {
  if (isBeforeSend(run) || run.campaign.sentAt === null) return null
  const { counts, addsUp } = ledgerSum(run)
  return !addsUp || counts.in_doubt > 0 ? 'delivery' : 'results'
}
