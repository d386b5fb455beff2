/** Metrics of what this process took on and handed over, and of the calls that it logged. */
import type { Counter, Gauge } from 'prom-client'
import type { HandOffEnd, Service } from '../../core/context.ts'
import { createDestinationCounts } from './destination-counts.ts'

export type MakeGauge = (name: string, help: string, ...labelNames: string[]) => Gauge
export type MakeCounter = (name: string, help: string, ...labelNames: string[]) => Counter

export function addWorkCounters(counter: MakeCounter, gauge: MakeGauge) {
  const claims = counter(
    'facteur_claims_total',
    'Recipients that this process claimed, by lane',
    'lane',
  )
  const retries = counter(
    'facteur_retries_total',
    'Hand-offs of this process after the first try, by lane',
    'lane',
  )
  const toDestinations = counter(
    'facteur_destination_hand_offs_total',
    'Hand-offs of this process by provider, domain of the recipient (the fifty with the most mail, all others as "other") and outcome',
    ...['provider', 'destination', 'outcome'],
  )
  const logged = counter(
    'facteur_logged_calls_total',
    'Calls of this process for the log: stored, without a row of their own since another stands for them, and dropped',
    'state',
  )
  const held = gauge(
    'facteur_held_recipients',
    'Recipients that this process holds: claimed, and their outcome is not recorded',
  )
  const destinations = createDestinationCounts()
  const watched: Pick<Service, 'sending' | 'requestLog'>[] = []
  return {
    countClaim: (lane: HandOffEnd['lane']) => claims.inc({ lane }),
    countHandOff({ lane, attempt, destination, provider, outcome }: HandOffEnd): void {
      claims.inc({ lane })
      if (attempt > 1) retries.inc({ lane })
      destinations.add({ destination, provider, outcome, count: 1 })
    },
    /** A service whose state is read: one for each cell. */
    watch(service: Pick<Service, 'sending' | 'requestLog'>): void {
      watched.push(service)
    },
    read(): void {
      toDestinations.reset()
      for (const { count, ...labels } of destinations.read())
        toDestinations.inc({ ...labels }, count)
      held.set(watched.reduce((sum, { sending }) => sum + sending.held(), 0))
      logged.reset()
      for (const { requestLog } of watched)
        for (const [state, count] of Object.entries(requestLog.counts()))
          logged.inc({ state }, count)
    },
  }
}
