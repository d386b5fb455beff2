/** Defines the overview page of a workspace: results, account status, and the next steps. */
import { loweredPace } from './lowered-pace.ts'
import { GmailRate, suspendedBy } from '../account.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Type, count, nullable, oneOf, type Static } from '../schema.ts'
import { Attention, Period, RecentCampaign, periodLengths } from './overview-period.ts'

export const Overview = Type.Object({
  object: Type.Literal('overview'),
  period: Period,
  campaigns: Type.Array(RecentCampaign, {
    description: 'The last five that began to be sent, the newest first.',
  }),
  attention: Type.Array(Attention, {
    description: 'What a user should mend, at most five of a kind. Empty: nothing.',
  }),
  quota: Type.Object({
    plan: Type.String(),
    limit: nullable(Type.Integer({ minimum: 0 })),
    used: count('This month, by all workspaces that share it.'),
    remaining: nullable(Type.Integer({ minimum: 0 })),
    resets_at: DateTime,
    workspaces: Type.Integer({ minimum: 1, description: 'How many share it.' }),
  }),
  sending: Type.Object({
    status: oneOf(['active', 'suspended']),
    suspended_by: suspendedBy,
    suspended_since: nullable(DateTime),
    /** The divisor of both rates, over 30 days. */
    hand_offs: count('Mails that were handed over.'),
    bounces: count('Hard bounces.'),
    complaints: count('Complaints.'),
    bounce_rate: Type.Number({ minimum: 0 }),
    complaint_rate: Type.Number({ minimum: 0 }),
    bounce_rate_max: Type.Number({ description: 'Above it, sending is suspended.' }),
    complaint_rate_max: Type.Number({ description: 'Above it, sending is suspended.' }),
    gmail: nullable(GmailRate),
    gmail_rates: Type.Array(
      Type.Object({
        domain: Type.String(),
        day: Type.String({ format: 'date' }),
        spam_rate: Type.Number({ minimum: 0, maximum: 1 }),
      }),
      {
        description:
          'The newest day that Google has published of each domain, within 30 days. Empty without Postmaster Tools.',
      },
    ),
    gmail_spam_rate_max: Type.Number({ description: 'A day above it suspends sending.' }),
    hand_offs_min: count('With fewer, nothing is suspended.'),
    bounces_min: count('With fewer, they suspend nothing.'),
    complaints_min: count('With fewer, they suspend nothing.'),
  }),
  steps: Type.Object(
    {
      domain: Type.Boolean({ description: 'A domain is verified.' }),
      key: Type.Boolean({ description: 'An API key works.' }),
      email: Type.Boolean({ description: 'A mail was accepted.' }),
      webhook: Type.Boolean({ description: 'There is a webhook.' }),
      subscribers: Type.Boolean({ description: 'There is a subscriber.' }),
    },
    { description: 'The first steps of a workspace, and whether each is done.' },
  ),
  throttled: nullable(
    Type.Object(loweredPace, {
      description: 'The provider asked for a slower pace within the last minute. Null: it did not.',
    }),
  ),
  held: nullable(
    Type.Object(
      {
        mails: count('Recipients of single mails.'),
        campaigns: count('Campaigns that were scheduled or sending.'),
        others: count('Webhook deliveries, sign-ups and imports.'),
      },
      {
        description:
          'What was pending in a restored backup, until the operator releases or discards it. Null: nothing.',
      },
    ),
  ),
  smtp: nullable(
    Type.Object(
      {
        host: Type.String(),
        port: Type.Integer(),
        tls: oneOf(['none', 'starttls', 'implicit']),
      },
      { description: 'Where programs hand mail in by SMTP. Null: nowhere.' },
    ),
  ),
  captures: Type.Boolean({ description: 'The capture mailbox stores all mail, and none leaves.' }),
})
export type Overview = Static<typeof Overview>

const overview = operationsOf({ ...ofMembers, tag: 'Workspace' })

export const overviewOperations = {
  getOverview: overview.get('/api/v1/overview', Overview, {
    summary: 'Overview of a workspace',
    description:
      'Its results beside those of the period before, its last campaigns, what needs attention, its quota, whether it may send and why not, and the first steps.',
    query: Type.Object({
      days: Type.Optional(
        oneOf(periodLengths, { default: '30', description: 'How many days, with today.' }),
      ),
    }),
  }),
}
