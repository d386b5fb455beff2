/** Tells whether a campaign can leave only with an approval that it does not have. */
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { useAsk } from '../../../api/use-ask.ts'

/** False until the number of recipients is known; the service refuses the send anyway. */
export function useNeedsApproval({ campaign, approval }: CampaignRun): boolean {
  const { id, status, progress } = campaign
  const isUnsent = status === 'draft' || status === 'scheduled'
  const above = approval && approval.state !== 'approved' ? approval.above : null
  const reach = useAsk(
    'getCampaignReach',
    { params: { id } },
    { enabled: isUnsent && above !== null },
  )
  if (above === null || status === 'archived') return false
  const recipients = isUnsent ? reach.data?.reachable : progress.failed + progress.in_doubt
  return (recipients ?? 0) > above
}
