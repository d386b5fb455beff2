/** A campaign from its draft on: what to know, its ledger as it moves, how fast it goes, and what it is. */
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CampaignFlight } from '../../../../../src/contract/workspace/campaign-flight.ts'
import { Facts } from './Facts.tsx'
import { KnownFlight } from './KnownFlight.tsx'
import { Ledger } from './Ledger.tsx'
import { Notices } from './Notices.tsx'
import { Pace } from './Pace.tsx'
import { Reach } from './Reach.tsx'

export function FlightPage(): ReactNode {
  return <KnownFlight tab="flight">{(flight) => <Shown key={flight.campaign.id} flight={flight} />}</KnownFlight>
}

function Shown({ flight }: { flight: CampaignFlight }): ReactNode {
  const { status, recipients } = flight.campaign
  return (
    <Stack gap="lg">
      <Notices flight={flight} />
      {recipients > 0 && <Ledger flight={flight} />}
      <Pace flight={flight} />
      {(status === 'draft' || status === 'scheduled') && <Reach id={flight.campaign.id} />}
      <Facts flight={flight} />
    </Stack>
  )
}
