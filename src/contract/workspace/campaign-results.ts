/**
 * Defines a campaign's results for its statistics page: figures, links drawn on the mail, and both
 * as files.
 */
import { CampaignParams, CampaignStats } from '../campaigns.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { Type, count, instantOrNull, oneOf, type Static } from '../schema.ts'
import { memberLanguages } from '../../ground/texts/languages.ts'

/** How many requests of mail scanners are counted, of each kind; an exported file counts all. */
export const scannersCountedMax = 10_000

/** Among how many clicks the recipients of a link are counted. */
export const uniqueClicksMax = 100_000

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const { campaign, counts, rates, delivery, timeline, audience } = CampaignStats.properties

export const CampaignResults = Type.Object({
  campaign,
  tracked: Type.Object(
    { opens: Type.Boolean(), clicks: Type.Boolean() },
    { description: 'Whether the campaign tracks opens and clicks.' },
  ),
  counts,
  rates,
  delivery,
  timeline,
  bars: Type.Array(
    Type.Object({
      from: count('Hours after the first hand-off at which it begins.'),
      hours: count('How many hours it spans.'),
      opened: count('Recipients who opened it for the first time.'),
      clicked: count('Recipients who clicked for the first time.'),
    }),
    {
      description:
        'The first day by hour, then six days. Eight windows of six hours where a process of the previous version counted. Empty while nothing has gone out.',
    },
  ),
  audience,
  openers: Type.Object({
    people: count(
      'Recipients whose first open that counts was made by a program that people read mail with.',
    ),
    relays: count(
      'Recipients whose first open that counts came through a privacy relay: opened by a person, or fetched ahead.',
    ),
  }),
  scanners: Type.Object({
    opens: count(
      `Requests for the pixel by programs that look through mail, counted up to ${scannersCountedMax}. Not counted above.`,
    ),
    moreOpens: Type.Boolean({ description: 'There were more than these.' }),
    clicks: count(
      `Requests for links by such programs, counted up to ${scannersCountedMax}. Not counted above.`,
    ),
    moreClicks: Type.Boolean({ description: 'There were more than these.' }),
  }),
  detailsExpiredAt: instantOrNull(
    'When the single requests expired: `scanners` counts none from then on. Null: they are stored.',
  ),
  links: Type.Array(
    Type.Object({
      position: count('Its place in the mail, from 0.'),
      url: Type.String(),
      clicks: count('All clicks that count.'),
      share: share('Of all clicks that count.'),
      uniqueClicks: Type.Optional(
        count(
          `Recipients who clicked it, among the first ${uniqueClicksMax} clicks. Where it was asked for.`,
        ),
      ),
    }),
    { description: 'From most to least clicked.' },
  ),
})
export type CampaignResults = Static<typeof CampaignResults>

const results = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const campaignResultOperations = {
  getCampaignResults: results.get('/api/v1/campaigns/{id}/results', CampaignResults, {
    summary: 'Results of a campaign',
    description:
      'The figures come from counters, whatever the number of recipients. Requests of scanners alone are counted one by one, up to a limit.',
    query: Type.Object({
      uniqueClicks: Type.Optional(
        oneOf(['1'], { description: 'With `uniqueClicks` of each link.' }),
      ),
    }),
  }),
  exportCampaignResults: results.get('/api/v1/campaigns/{id}/results/export', fileAnswer, {
    summary: 'Export the results of a campaign',
    description:
      'For spreadsheets a line for each figure, for programs the answer of `getCampaignResults`.',
    query: Type.Object({ format: oneOf(['csv', 'json']) }),
  }),
  getCampaignHeatMap: results.get('/api/v1/campaigns/{id}/heat-map', fileAnswer, {
    summary: 'The mail as it was sent, each link with its share of the clicks',
    description: 'Personal links are placeholders that lead nowhere.',
    query: Type.Object({
      language: Type.Optional(oneOf(memberLanguages, { description: 'Of the figures.' })),
      images: Type.Optional(oneOf(['1'], { description: 'Images of others are loaded too.' })),
    }),
  }),
}
