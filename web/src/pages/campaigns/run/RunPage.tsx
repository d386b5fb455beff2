/**
 * A draft is reviewed here, and a campaign that was sent is watched until its first mail left: then
 * its address leads to its results, or to its ledger where something is wrong.
 */
import { Stack } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { usePlace } from '../../../parts/links.tsx'
import { Approval } from './Approval.tsx'
import { CampaignFacts } from './CampaignFacts.tsx'
import { Delivery } from './CampaignDeliveryPage.tsx'
import { frontTab, isBeforeSend } from './front-tab.ts'
import { KnownRun } from './KnownRun.tsx'
import { Notices } from './Notices.tsx'
import { Reach } from './Reach.tsx'
import { Mail, Review } from './Review.tsx'
import classes from './Run.module.css'

export function RunPage() {
  return <KnownRun tab="delivery">{(run) => <Front key={run.campaign.id} run={run} />}</KnownRun>
}

function Front({ run }: { run: CampaignRun }) {
  const locate = usePlace()
  if (isBeforeSend(run)) return <BeforeSend run={run} />
  const tab = frontTab(run)
  if (tab === null) return <Delivery run={run} />
  return <Navigate to={locate(`campaigns/${run.campaign.id}/${tab}`)} replace />
}

function BeforeSend({ run }: { run: CampaignRun }) {
  const { id } = run.campaign
  return (
    <Stack gap="lg">
      <Notices run={run} />
      <Approval run={run} />
      <div className={classes.before}>
        <Stack gap="lg" miw={0}>
          <Review run={run} />
          <Reach id={id} />
        </Stack>
        <Mail id={id} />
      </div>
      <CampaignFacts run={run} />
    </Stack>
  )
}
