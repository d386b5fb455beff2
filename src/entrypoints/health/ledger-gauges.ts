/** Gauges of the ledger and of what hands it over, the same from every process. */
import type { Context } from '../../core/context.ts'
import { troubledDestinations } from '../../db/sending/destinations.ts'
import { longestConfirmationWait } from '../../db/audience/confirmation-pace.ts'
import { laneLags, todaysCounts, unfinishedCounts } from '../../db/sending/ledger-state.ts'
import { todaysRefusals } from '../../db/sending/refusal-counts.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { tlsResultsToday } from '../../db/sending/tls-results.ts'
import { webhookBacklog } from '../../db/webhooks/webhook-health.ts'
import { refusalCauseOf } from '../../mail/reports/refusals/find-refusal-cause.ts'
import { firstHostOf } from '../../providers/direct-mx/find-route.ts'
import { throttleLastsMs } from '../../providers/direct-mx/pace.ts'
import { shapingOf } from '../../providers/direct-mx/receivers.ts'
import { cellsRead, gaugeRead, type GaugeRead, type GaugeSource } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** Destinations that a scrape reads at most. */
const troubledMax = 5_000

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readLedgerGauges(
  source: GaugeSource & Pick<Context, 'providers'>,
  shared: MakeGauge,
): GaugeRead[] {
  const { countingDb, providers } = source
  const lag = shared(
    'facteur_due_lag_seconds',
    'Seconds that the longest waiting workspace of a lane has been due',
    'lane',
  )
  const confirmations = shared(
    'facteur_confirmations_wait_seconds',
    'Seconds until the last confirmation of a batch or a file by key leaves, of the workspace that waits longest',
  )
  const unsettled = shared(
    'facteur_recipients',
    'Recipients that are not settled, by lane and state',
    'lane',
    'state',
  )
  const today = shared(
    'facteur_today_recipients',
    'Recipients handed over, bounced and complained today, UTC',
    'event',
  )
  const refused = shared(
    'facteur_today_refusals',
    'Refusals today (UTC) that name a cause, by what they ask of the sender',
    'requirement',
  )
  const throttled = shared(
    'facteur_provider_throttled',
    '1 while a provider has asked for a slower pace within the last minute',
    'provider',
  )
  const lowered = shared(
    'facteur_provider_pace',
    'Mails a second of a throttled provider: the lowered pace, and the former one',
    ...['provider', 'pace'],
  )
  const tls = shared(
    'facteur_tls_sessions_today',
    'Sessions with mail hosts today, UTC, whose encryption a policy asked for, and those where it failed, by policy and result (RFC 8460)',
    ...['policy', 'result'],
  )
  const slowedDestinations = shared(
    'facteur_destinations_slowed',
    'Destinations of direct-mx that asked for a slower pace within the last quarter of an hour, by receiver',
    'receiver',
  )
  const awayDestinations = shared(
    'facteur_destinations_away',
    'Destinations of direct-mx that nothing is sent to for now, by receiver',
    'receiver',
  )
  const webhooks = shared(
    'facteur_webhook_backlog',
    'Deliveries of webhooks that wait for an attempt, at most 10,000 of each webhook',
  )
  const webhookLag = shared(
    'facteur_webhook_lag_seconds',
    'Seconds since the first waiting delivery of a webhook was due',
  )
  return [
    cellsRead('lanes', [lag], { source, ask: laneLags }, (result) => {
      for (const [lane, lags] of Map.groupBy(result.flat(), (row) => row.lane))
        lag.set({ lane }, Math.max(...lags.map(({ seconds }) => seconds)))
    }),
    cellsRead(
      'confirmations',
      [confirmations],
      { source, ask: longestConfirmationWait },
      (result) => confirmations.set(Math.max(0, ...result)),
    ),
    cellsRead('recipients', [unsettled], { source, ask: unfinishedCounts }, (result) => {
      for (const { lane, state, rows } of result.flat()) unsettled.inc({ lane, state }, rows)
    }),
    cellsRead('today', [today], { source, ask: todaysCounts }, (result) => {
      for (const { handOffs, bounces, complaints } of result)
        for (const [event, count] of Object.entries({
          handed_over: handOffs,
          bounced: bounces,
          complained: complaints,
        }))
          today.inc({ event }, count)
    }),
    cellsRead('refusals', [refused], { source, ask: todaysRefusals }, (result) => {
      for (const { cause, refusals } of result.flat())
        refused.inc({ requirement: refusalCauseOf(cause)?.requirement ?? 'unknown' }, refusals)
    }),
    gaugeRead(
      'providers',
      [throttled, lowered],
      () => throttledProviders(countingDb, null),
      (slowed) => {
        throttled.set({ provider: providers.deployment.name }, 0)
        for (const { provider, perSecond, formerPerSecond } of slowed) {
          throttled.set({ provider }, 1)
          if (perSecond !== null) lowered.set({ provider, pace: 'lowered' }, perSecond)
          if (formerPerSecond !== null) lowered.set({ provider, pace: 'former' }, formerPerSecond)
        }
      },
    ),
    gaugeRead(
      'tls',
      [tls],
      () => tlsResultsToday(countingDb),
      (results) => {
        for (const { policy, result, sessions } of results) tls.set({ policy, result }, sessions)
      },
    ),
    gaugeRead(
      'destinations',
      [slowedDestinations, awayDestinations],
      () => troubledDestinations(countingDb, { slowedMs: throttleLastsMs, max: troubledMax }),
      (result) => {
        for (const { name, slowed, away } of result) {
          const receiver = shapingOf(firstHostOf(name)).name
          if (slowed) slowedDestinations.inc({ receiver })
          if (away) awayDestinations.inc({ receiver })
        }
      },
    ),
    cellsRead('webhooks', [webhooks, webhookLag], { source, ask: webhookBacklog }, (result) => {
      webhooks.set(result.reduce((sum, { rows }) => sum + rows, 0))
      webhookLag.set(Math.max(...result.map(({ seconds }) => seconds)))
    }),
  ]
}
