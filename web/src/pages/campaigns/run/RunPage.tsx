/**
 * The page shows a campaign from its draft on: first its review and reach, then its ledger, its
 * speed and its facts.
 */
import { Stack } from '@mantine/core'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Approval } from './Approval.tsx'
import classes from './Run.module.css'
import { CampaignFacts } from './CampaignFacts.tsx'
import { KnownRun } from './KnownRun.tsx'
import { Ledger, Pace } from './Ledger.tsx'
import { Notices } from './Notices.tsx'
import { Refusals } from './Refusals.tsx'
import { Reach } from './Reach.tsx'
import { Mail, Review } from './Review.tsx'

export function RunPage() {
  return <KnownRun tab="run">{(run) => <Shown key={run.campaign.id} run={run} />}</KnownRun>
}

function Shown({ run }: { run: CampaignRun }) {
  const { id, status, recipients } = run.campaign
  if (status === 'draft' || status === 'scheduled')
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
  return (
    <Stack gap="lg">
      <Notices run={run} />
      <Approval run={run} />
      {recipients > 0 && <Ledger run={run} />}
      <Pace run={run} />
      <Refusals run={run} />
      <CampaignFacts run={run} />
    </Stack>
  )
}
