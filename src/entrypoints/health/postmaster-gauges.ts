/**
 * Gauges of Google's Postmaster Tools: when they were read, and the spam rates that Gmail
 * publishes.
 */
import { highestGmailRates } from '../../db/postmaster/postmaster-domains.ts'
import { postmasterState } from '../../db/postmaster/postmaster-state.ts'
import { cellsRead, gaugeRead, type GaugeRead, type GaugeSource } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readPostmasterGauges(source: GaugeSource, shared: MakeGauge): GaugeRead[] {
  const { countingDb } = source
  const age = shared(
    'facteur_postmaster_age_seconds',
    "Seconds since Google's Postmaster Tools were read; NaN where they never were",
  )
  const failed = shared(
    'facteur_postmaster_failed',
    "1 while the last try to read Google's Postmaster Tools failed",
  )
  const rates = shared(
    'facteur_gmail_spam_rate',
    'Share of a domain’s mails that users of Gmail reported as spam on the newest published day of the last seven; the fifty highest of each cell',
    'domain',
  )
  return [
    gaugeRead(
      'postmaster',
      [age, failed],
      () => postmasterState(countingDb),
      (state) => {
        age.set(state?.ageSeconds ?? Number.NaN)
        failed.set(state?.error ? 1 : 0)
      },
    ),
    cellsRead('gmail', [rates], { source, ask: highestGmailRates }, (result) => {
      for (const { domain, spamRate } of result.flat()) rates.set({ domain }, spamRate)
    }),
  ]
}
