/** A campaign from its draft on: what to know and how it looks before it leaves; then its ledger as it moves, how fast it goes, and what it is. */
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CampaignFlight } from '../../../../../src/contract/workspace/campaign-flight.ts'
import classes from './Flight.module.css'
import { Facts } from './Facts.tsx'
import { KnownFlight } from './KnownFlight.tsx'
import { Ledger } from './Ledger.tsx'
import { Notices } from './Notices.tsx'
import { Pace } from './Pace.tsx'
import { Reach } from './Reach.tsx'
import { Mail, Review } from './Review.tsx'

export function FlightPage(): ReactNode {
  return <KnownFlight tab="flight">{(flight) => <Shown key={flight.campaign.id} flight={flight} />}</KnownFlight>
}

function Shown({ flight }: { flight: CampaignFlight }): ReactNode {
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
        <Facts flight={flight} />
      </Stack>
    )
  return (
    <Stack gap="lg">
      <Notices flight={flight} />
      {recipients > 0 && <Ledger flight={flight} />}
      <Pace flight={flight} />
      <Facts flight={flight} />
    </Stack>
  )
}
