/** The page shows the ledger of a campaign, its speed, its refusals and its facts. */
import { Stack } from '@mantine/core'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Approval } from './Approval.tsx'
import { CampaignFacts } from './CampaignFacts.tsx'
import { KnownRun, OnceSent } from './KnownRun.tsx'
import { Ledger } from './Ledger.tsx'
import { Notices } from './Notices.tsx'
import { Pace } from './Pace.tsx'
import { Refusals } from './Refusals.tsx'

export function CampaignDeliveryPage() {
  return (
    <KnownRun tab="delivery">
      {(run) => (
        <OnceSent run={run}>
          <Delivery run={run} />
        </OnceSent>
      )}
    </KnownRun>
  )
}

export function Delivery({ run }: { run: CampaignRun }) {
  return (
    <Stack gap="lg">
      <Notices run={run} />
      <Approval run={run} />
      {run.campaign.recipients > 0 && <Ledger run={run} />}
      <Pace run={run} />
      <Refusals run={run} />
      <CampaignFacts run={run} />
    </Stack>
  )
}
