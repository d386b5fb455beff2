/** The rates that lists and tiles show: of people, of mails with tracking, of days that are known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerRates } from '../../src/core/presentation/present-campaign.ts'
import type { CampaignRow } from '../../src/db/campaigns/campaigns.ts'
import type { Period } from '../../web/src/pages/overview/overview.ts'
import { dailyRates, dailySent, rateOf, shares } from '../../web/src/pages/overview/tiles.ts'

const row = (fields: Partial<CampaignRow>): CampaignRow =>
  ({
    ...{ recipients: 100, trackOpens: true, trackClicks: true, relayed: 30 },
    counted: { delivered: 80, opened: 50, clicked: 8 },
    ...fields,
  }) as CampaignRow

test('a first open through a privacy relay is none of a person', () => {
  assert.deepEqual(readerRates(row({})), { opened: 0.25, clicked: 0.1 })
  // Counters of a process of the previous version may lag behind.
  assert.equal(readerRates(row({ relayed: 60 })).opened, 0)
})

test('a campaign without tracking has no rate, not one of 0', () => {
  assert.deepEqual(readerRates(row({ trackOpens: false })), { opened: null, clicked: 0.1 })
  assert.deepEqual(readerRates(row({ trackClicks: false })), { opened: 0.25, clicked: null })
  assert.deepEqual(readerRates(row({ counted: {} })), { opened: null, clicked: null })
})

const counts = {
  ...{
    delivered: 900,
    assumed: 0,
    waiting: 0,
    bounced: 0,
    complained: 100,
    failed: 0,
    sent: 1_000,
  },
  ...{ opened: 60, opened_by_relay: 20, clicked: 10, opens_tracked: 200, clicks_tracked: 100 },
}

test('a tile is a share of the mails that are tracked; of all that arrived where they were not counted', () => {
  const rates = (of: typeof shares.opened, some: object) => rateOf(of({ ...counts, ...some }))
  assert.equal(rates(shares.opened, {}), 0.2)
  assert.equal(rates(shares.clicked, {}), 0.1)
  assert.equal(rates(shares.opened, { opens_tracked: null }), 0.04)
  assert.equal(rates(shares.opened, { opens_tracked: 0, opened: 0, opened_by_relay: 0 }), null)
})

test('a day that nobody counted is no day without mail', () => {
  const each = [null, counts].map((some) => ({ day: '2026-11-21', counts: some, subscribed: 0 }))
  // The lines read the days alone.
  const period = { each } as unknown as Period
  assert.deepEqual(dailySent(period), [1_000])
  assert.deepEqual(dailyRates(period, 'delivered'), [1])
})
