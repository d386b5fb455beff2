/** Defines the results that an overview shows: of days, of campaigns, and what needs attention. */
import { campaignStatuses } from '../campaigns.ts'
import { Text, Type, count, instantOrNull, nullable, oneOf, type Static } from '../schema.ts'

/** Days of a period, as the query names them. */
export const periodLengths = ['7', '30', '90'] as const

/** Null where a version that did not count them counted the day. */
const orNull = (description: string) =>
  nullable(Type.Integer({ minimum: 0, description: `${description} Null: not known.` }))

/** The outcomes of the mails of a day, or of several. */
export const mailCounts = {
  delivered: count('Arrived.'),
  assumed: orNull('Of the delivered: no report says so; no bounce came within the time set.'),
  waiting: count('Without feedback yet, including mail that has not left.'),
  bounced: count('The address does not exist.'),
  complained: count('Arrived, and reported as spam.'),
  failed: count('Given up or refused for a reason that is not the address.'),
  sent: orNull('Handed over: whatever came back later, and nothing that failed or still waits.'),
  opened: orNull(
    'Opened or clicked at least once, of mails with tracking, by their recipient or a privacy relay; scanners do not count. Of single messages, within about a week.',
  ),
  opened_by_relay: orNull(
    'Of the opened: first through a privacy relay, which may load a mail that nobody reads.',
  ),
  clicked: orNull('A link was followed at least once, counted as the opened.'),
  opens_tracked: orNull(
    'Arrived, with tracking of opens: what a rate of the opened is a share of.',
  ),
  clicks_tracked: orNull('Arrived, with tracking of clicks.'),
}

export const MailDay = Type.Object({
  day: Type.String({
    format: 'date',
    description: 'Of the workspace’s time zone.',
    examples: ['2026-11-21'],
  }),
  counts: nullable(
    Type.Object(mailCounts, {
      description:
        'Null: not counted yet, or its mails had expired before it was; `complete` says which.',
    }),
  ),
})

const subscribed = Type.Integer({
  minimum: 0,
  description: 'Contacts who were subscribed at its end.',
})

const Figures = Type.Object({
  ...mailCounts,
  subscribed,
  subscribed_change: Type.Integer({ description: 'Since its beginning.' }),
})

export const Period = Type.Object({
  days: Type.Integer({ description: 'How many; the last is today.', examples: [30] }),
  time_zone: Type.String({
    description: 'Whose days these are: that of the workspace, else UTC.',
    examples: ['Europe/Paris'],
  }),
  complete: Type.Boolean({ description: 'False: a day is not counted yet; ask again.' }),
  each: Type.Array(Type.Object({ ...MailDay.properties, subscribed }), {
    description:
      'The oldest first: the mails that were accepted on a day, by what became of them. The results of the newest mails are ' +
      'seconds old, those of older ones about a tenth of the age of the mail; a week after a day they are final. ' +
      'What takes longer to count than the answer waits is shown by the next request.',
  }),
  totals: Type.Object(Figures.properties, { description: 'Of the days that are counted.' }),
  before: nullable(
    Type.Object(Figures.properties, {
      description:
        'Of as many days before. Null: one of them is not counted, or its mails had expired before it was.',
    }),
  ),
})
export type Period = Static<typeof Period>

const share = (description: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 1, description }))

/** As lists and tiles show them; `CampaignRates` are those of the specification. */
export const ReaderRates = Type.Object({
  opened: share(
    'Opened by people, of the delivered: without first opens through privacy relays. Null: nothing delivered, or not tracked.',
  ),
  clicked: share('Of the delivered. Null: nothing delivered, or not tracked.'),
})
export type ReaderRates = Static<typeof ReaderRates>

export const RecentCampaign = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  status: oneOf(campaignStatuses),
  sent_at: instantOrNull('Null: nothing has been handed over yet.'),
  sent: count('Handed over.'),
  delivered: count('Of the sent.'),
  opened: count('Of the delivered: opened at least once.'),
  clicked: count('Of the delivered: a link was followed at least once.'),
  open_rate: ReaderRates.properties.opened,
  click_rate: ReaderRates.properties.clicked,
})
export type RecentCampaign = Static<typeof RecentCampaign>

/** What a user should mend, in the order of the list. */
export const attentionKinds = [
  'withheld',
  'bounce_rate',
  'complaint_rate',
  'quota',
  'campaign_paused',
  'domain_broken',
  'domain_waiting',
  'webhook_disabled',
  'webhook_failing',
  'throttled',
  'key_expiring',
  'key_unused',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** A rate is named from this share of its limit on. */
export const rateNearFrom = 0.7
/** The quota is named from this share on. */
export const quotaNearFrom = 0.8
/** A key is named that was not used for this long, or expires within so many days. */
export const keyUnusedDays = 90
export const keyExpiringDays = 7

export const Attention = Type.Object({
  what: oneOf(attentionKinds, {
    description:
      `\`bounce_rate\` and \`complaint_rate\`: at ${rateNearFrom * 100} % of their limit or above; \`quota\`: ${quotaNearFrom * 100} % used; ` +
      `\`key_unused\`: for ${keyUnusedDays} days; \`key_expiring\`: within ${keyExpiringDays} days; \`withheld\`: mail waits after a restore.`,
  }),
  id: Text.orNull({ description: 'Of the campaign, webhook or key; the name of a domain.' }),
  name: Text.orNull(),
  since: instantOrNull('Null: not known. Of a key: when it was last used, or expires.'),
  share: nullable(Type.Number({ minimum: 0, description: 'The rate, or the used share.' })),
  max: nullable(Type.Number({ minimum: 0, description: 'The limit of the rate.' })),
})
export type Attention = Static<typeof Attention>
