/**
 * Defines the list of a campaign's recipients: filtered by outcome, or searched by address or name,
 * and exported.
 */
import { CampaignParams } from '../campaigns.ts'
import { bounceClasses } from '../emails.ts'
import { limits } from '../limits.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  instant,
  listOf,
  nullable,
  objectOrNull,
  oneOf,
  type Static,
} from '../schema.ts'
import { knownId } from '../text-rules.ts'
import { answerMeanings } from './messages.ts'

/** The five statuses of the ledger, whose counts add up to the whole list. */
export const ledgerStatuses = ['pending', 'sent', 'failed', 'suppressed', 'in_doubt'] as const

/**
 * The filters of recipients: the ledger's counts with cancelled and failed ones apart, or the
 * outcome of the mail.
 */
export const recipientsWanted = [
  ...ledgerStatuses,
  'cancelled',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
] as const
export type RecipientWanted = (typeof recipientsWanted)[number]

/**
 * The outcome of one recipient as a code; while it is open, the current state. The ledger counts
 * cancelled ones as failed.
 */
export const recipientOutcomes = [
  'pending',
  'in_doubt',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
  'cancelled',
  'suppressed',
] as const

/** How many opens and clicks of a recipient are counted. */
export const recipientEngagementMax = 1_000

/** Why a recipient did not receive the mail, or not yet. */
export const recipientReasons = [
  'put_off',
  'no_answer',
  'worker_lost',
  'suppressed',
  'cancelled',
  'gave_up',
  'parked',
  'refused',
  'bounced',
  'complained',
  'failed_later',
] as const

export const CampaignRecipient = Type.Object({
  object: Type.Literal('campaign_recipient'),
  subscriberId: Type.String({ format: 'uuid' }),
  email: Type.String({ description: '`erased@invalid` of who was erased since.' }),
  captured: Text.orNull({ description: 'Its captured mail, where it was captured and is there.' }),
  name: Text.orNull(),
  place: oneOf(ledgerStatuses, { description: 'Where the ledger counts it.' }),
  outcome: oneOf(recipientOutcomes),
  reason: objectOrNull({
    kind: oneOf(recipientReasons),
    detail: Text.orNull({
      description: 'The original text: an answer of a mail server, or the reason of a suppression.',
    }),
    meaning: nullable(
      oneOf(answerMeanings, {
        description: 'The meaning of `detail`, where it is an answer of a mail server.',
      }),
    ),
  }),
  bounce: nullable(oneOf(bounceClasses)),
  response: Text.orNull({ description: 'The last answer of the provider.' }),
  attempts: Type.Integer({ minimum: 0 }),
  nextTryAt: nullable(DateTime),
  sentAt: nullable(DateTime),
  deliveredAt: nullable(DateTime),
  deliveredBy: Text.orNull({
    description: 'The source of the delivery: `feedback`, `silence`, `open` or `click`.',
  }),
  openedAt: nullable(DateTime),
  clickedAt: nullable(DateTime),
  unsubscribedAt: nullable(DateTime),
  engagement: Type.Optional(
    Type.Object(
      {
        opens: Type.Integer({ minimum: 0 }),
        clicks: Type.Array(
          Type.Object({ url: Type.String(), clicks: Type.Integer({ minimum: 1 }) }),
        ),
      },
      {
        description: `What came back, without scanners: the first ${recipientEngagementMax} opens and clicks are counted. Where it was asked for.`,
      },
    ),
  ),
})
export type CampaignRecipient = Static<typeof CampaignRecipient>

const statusFilter = Type.Optional(oneOf(recipientsWanted, { description: 'Only these.' }))

const recipients = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const campaignRecipientOperations = {
  listCampaignRecipients: recipients.get(
    '/api/v1/campaigns/{id}/recipients',
    listOf(CampaignRecipient),
    {
      summary: 'List the recipients of a campaign',
      description:
        'In the order of the frozen list. A page may hold fewer than asked for and still say `has_more`: what is rare in a long list is ' +
        'looked for a stretch at a time.',
      query: Type.Object({
        ...PageQuery.properties,
        only: statusFilter,
        q: Text.optional({
          maxLength: limits.searchMax,
          description: 'A part of the address or of a name.',
        }),
        after: Text.optional({
          ...knownId,
          description:
            'In place of `cursor`: begins behind the recipient with this `subscriberId`.',
        }),
        subscriberId: Text.optional({ ...knownId, description: 'Only this one.' }),
        engagement: Type.Optional(oneOf(['1'], { description: 'With `engagement`.' })),
      }),
    },
  ),
  exportCampaignRecipients: recipients.post(
    '/api/v1/campaigns/{id}/recipients/export',
    fileAnswer,
    {
      fresh: true,
      summary: 'Export the recipients of a campaign',
      description:
        'For spreadsheets: each recipient with its outcome and the reason. 409 `conflict` with `reason` `list_changed` where the list is not the one that `frozen_at` names. The audit log says who exported how many.',
      body: Type.Object({
        frozen_at: instant("The list that was looked at: `frozenAt` of the campaign's run."),
        only: statusFilter,
      }),
      errors: ['conflict'],
    },
  ),
}
