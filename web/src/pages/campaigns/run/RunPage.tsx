/** A campaign from its draft on: what to know and how it looks before it leaves; then its ledger as it moves, how fast it goes, and what it is. */
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import classes from './Flight.module.css'
import { CampaignFacts } from './CampaignFacts.tsx'
import { KnownRun } from './KnownRun.tsx'
import { Ledger } from './Ledger.tsx'
import { Notices } from './Notices.tsx'
import { Pace } from './Pace.tsx'
import { Reach } from './Reach.tsx'
import { Mail, Review } from './Review.tsx'

export function RunPage(): ReactNode {
  return <KnownRun tab="flight">{(flight) => <Shown key={flight.campaign.id} flight={flight} />}</KnownRun>
}

function Shown({ flight }: { flight: CampaignRun }): ReactNode {
  const { id, status, recipients } = flight.campaign
  if (status === 'draft' || status === 'scheduled')
    return (
      <Stack gap="lg">
        <Notices flight={flight} />
        <div className={classes.before}>
          <Stack gap="lg" miw={0}>
            <Review flight={flight} />
            <Reach id={id} />
          </Stack>
          <Mail id={id} />
        </div>
        <CampaignFacts flight={flight} />
      </Stack>
    )
  return (
    <Stack gap="lg">
      <Notices flight={flight} />
      {recipients > 0 && <Ledger flight={flight} />}
      <Pace flight={flight} />
      <CampaignFacts flight={flight} />
    </Stack>
  )
}
