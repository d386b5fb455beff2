/** Gauges of the ledger and of what hands it over, the same from every process. */
import type { Context } from '../../core/context.ts'
import { laneLags, todaysCounts, unfinishedCounts } from '../../db/sending/ledger-state.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { webhookBacklog } from '../../db/webhooks/webhook-health.ts'
import { gaugeRead, type GaugeRead } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readLedgerGauges(
  { countingDb, providers }: Pick<Context, 'countingDb' | 'providers'>,
  shared: MakeGauge,
): GaugeRead[] {
  const lag = shared('facteur_due_lag_seconds', 'Seconds that the longest waiting workspace of a lane has been due', 'lane')
  const unsettled = shared('facteur_recipients', 'Recipients that are not settled, by lane and state', 'lane', 'state')
  const today = shared('facteur_today_recipients', 'Recipients handed over, bounced and complained today, UTC', 'event')
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
  const webhooks = shared(
    'facteur_webhook_backlog',
    'Deliveries of webhooks that wait for an attempt, at most 10,000 of each webhook',
  )
  const webhookLag = shared('facteur_webhook_lag_seconds', 'Seconds since the first waiting delivery of a webhook was due')
  return [
    gaugeRead(
      'lanes',
      [lag],
      () => laneLags(countingDb),
      (lags) => {
        for (const { lane, seconds } of lags) lag.set({ lane }, seconds)
      },
    ),
    gaugeRead(
      'recipients',
      [unsettled],
      () => unfinishedCounts(countingDb),
      (counts) => {
        for (const { lane, state, rows } of counts) unsettled.set({ lane, state }, rows)
      },
    ),
    gaugeRead(
      'today',
      [today],
      () => todaysCounts(countingDb),
      ({ handOffs, bounces, complaints }) => {
        for (const [event, count] of Object.entries({ handed_over: handOffs, bounced: bounces, complained: complaints }))
          today.set({ event }, count)
      },
    ),
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
      'webhooks',
      [webhooks, webhookLag],
      () => webhookBacklog(countingDb),
      ({ rows, seconds }) => {
        webhooks.set(rows)
        webhookLag.set(seconds)
      },
    ),
  ]
}
