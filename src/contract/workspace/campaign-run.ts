/**
 * Defines users' control of a campaign from its draft on: schedule, send, pause, retry, archive.
 */
import { partOf } from '../campaign-fields.ts'
import { CampaignParams, WorkspaceCampaign } from '../campaigns.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { CampaignApproval } from './approval-schema.ts'
import { RefusalExplained, RefusalsExplained } from './refusals.ts'
import {
  DateTime,
  Text,
  Type,
  count,
  eachOptional,
  instant,
  instantOrNull,
  nullable,
  oneOf,
  type Static,
} from '../schema.ts'

/** Why a campaign is paused: by a user, or automatically. */
export const pauseReasons = [
  'person',
  'bounce_rate',
  'complaint_rate',
  'reputation',
  'canary',
  'refusals',
  'restore',
] as const

/** Why a scheduled campaign automatically became a draft again. */
export const draftNotices = [
  'overdue',
  'restore',
  'no_sender',
  'no_recipients',
  'quota_exceeded',
  'reputation_blocked',
  'unverified_from_domain',
  'audience_too_slow',
  'audience_invalid',
  'approval_required',
  'approval_exceeded',
  'audience_expired',
] as const

/** The actions that a campaign allows now, in display order. */
export const campaignRunActions = [
  'send',
  'schedule',
  'unschedule',
  'undo',
  'resume',
  'pause',
  'cancel',
  'retry',
  'release',
  'duplicate',
  'archive',
  'delete',
] as const
export type CampaignRunAction = (typeof campaignRunActions)[number]

/** How many failed recipients are examined at most for those that can be retried. */
export const retryableScannedMax = 10_000

/** How many causes of refusals are shown. */
export const refusalsShownMax = 10

/** How many held back subscribers are counted at most, for each reason. */
export const notReachedCountedMax = 10_000

export const CampaignRun = Type.Object({
  campaign: WorkspaceCampaign,
  now: instant("The service's time at this answer: what the times below are compared to."),
  acts: Type.Array(oneOf(campaignRunActions), {
    description: 'The acts that its state allows now.',
  }),
  unfinished: Type.Boolean({ description: 'A draft that cannot be sent as it is typed.' }),
  pauseReason: nullable(oneOf(pauseReasons)),
  /** Where `pauseReason` is `refusals`. */
  pauseRefusal: nullable(RefusalExplained),
  refusals: Type.Array(RefusalsExplained, {
    maxItems: refusalsShownMax,
    description:
      'The causes that its refusals name, the most frequent first: each recipient once by its first answer, and once if it is refused for good.',
  }),
  notice: nullable(
    oneOf(draftNotices, { description: 'Why it is a draft although it was scheduled or sent.' }),
  ),
  /** Null: the workspace demands none, and nobody asked for one. */
  approval: nullable(CampaignApproval),
  noticeDay: Text.orNull({
    format: 'date',
    description: 'With `audience_expired`: since when the details of the campaign are gone.',
  }),
  frozenAt: instantOrNull('When its list was frozen. Null: it has none.'),
  canceledAt: nullable(DateTime),
  heldUntil: instantOrNull('Nothing leaves before: until then it can be taken back.'),
  perSecond: nullable(
    Type.Number({
      minimum: 0,
      description: 'Hand-offs a second, by the last of them; null while nothing moves.',
    }),
  ),
  estimatedEndAt: instantOrNull('When no recipient would be pending, at this pace.'),
  nextTryAt: instantOrNull('When the first of those who were put off is tried again.'),
  cancelled: count('Of the failed: those whose turn had not come when it was cancelled.'),
  retryable: count(
    `Of the failed, of which ${retryableScannedMax} are looked at: those that can be tried again.`,
  ),
  moreRetryable: Type.Boolean({
    description: 'More failed than were looked at: more of them may be tried again.',
  }),
  detailsExpiredAt: instantOrNull(
    'When its recipients, opens and clicks expired; counts and statistics stay. Null: they are stored.',
  ),
})
export type CampaignRun = Static<typeof CampaignRun>

export const CampaignReopened = Type.Object({
  reopened: count('How many are sent to again.'),
  run: CampaignRun,
})

export const CampaignReach = Type.Object({
  object: Type.Literal('campaign_reach'),
  reachable: count('Subscribed now, and not suppressed: whom a send would go to.'),
  notReached: Type.Array(
    Type.Object({
      reason: Type.String({
        description:
          'A status other than `subscribed`, the reason of a suppression, or how the campaign excludes.',
      }),
      name: Text.orNull({
        description: 'Of the exclusion: the topic, the segment, the tag, or the days.',
      }),
      count: count(`Subscribers, counted up to ${notReachedCountedMax}.`),
      more: Type.Boolean({ description: 'There are more than these.' }),
    }),
  ),
  quota: Type.Object({
    limit: nullable(Type.Integer({ minimum: 0 })),
    remaining: nullable(Type.Integer({ minimum: 0 })),
  }),
  sending: oneOf(['active', 'suspended']),
})

const campaign = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })
/** Refused where the campaign's state does not allow them. */
const change = operationsOf({
  ...ofMembers,
  tag: 'Campaigns',
  params: CampaignParams,
  errors: ['conflict'],
})

export const campaignRunOperations = {
  getCampaignRun: campaign.get('/api/v1/campaigns/{id}/run', CampaignRun, {
    summary: 'Read the run of a campaign',
    description: 'Its ledger, its pace, and what may be done with it now.',
  }),
  getCampaignReach: campaign.get('/api/v1/campaigns/{id}/reach', CampaignReach, {
    summary: 'Preview the recipients of a campaign',
    description:
      'The number of contacts that it would reach now, and the excluded ones by reason. Those of an audience are counted for five seconds at most.',
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
  undoCampaignSend: change.post('/api/v1/campaigns/{id}/undo', CampaignRun, {
    summary: 'Take a campaign back before its first mail',
    description:
      'Within half a minute after a user sent it. It is a draft again, its quota is given back.',
  }),
  pauseCampaign: change.post('/api/v1/campaigns/{id}/pause', CampaignRun, {
    summary: 'Pause a campaign',
    description: 'Mail that the provider already has still leaves; nothing else does.',
  }),
  resumeCampaign: change.post('/api/v1/campaigns/{id}/resume', CampaignRun, {
    summary: 'Resume a campaign',
    description:
      'It goes on with the next recipient, and its bounce and complaint rates start over.',
    errors: ['reputation_blocked'],
  }),
  retryFailedRecipients: change.post('/api/v1/campaigns/{id}/retry', CampaignReopened, {
    summary: 'Send again to those who failed',
    description:
      'Not to those who bounced, are suppressed or were cancelled. Each counts in the quota.',
    errors: ['reputation_blocked', 'quota_exceeded'],
  }),
  releaseInDoubtRecipients: change.post('/api/v1/campaigns/{id}/release', CampaignReopened, {
    summary: 'Send again to those in doubt',
    description: 'Some of them will have the mail twice.',
    errors: ['reputation_blocked'],
  }),
  archiveCampaign: change.post('/api/v1/campaigns/{id}/archive', CampaignRun, {
    summary: 'Put a campaign away',
    description: 'A draft, or one that was sent: it stays readable, and nothing else changes it.',
  }),
  annotateCampaign: campaign.patch('/api/v1/campaigns/{id}/annotations', CampaignRun, {
    summary: 'Note something about a campaign',
    description:
      'In any state, since it is no part of the mail. An absent field stays; null or an empty text clears.',
    body: Type.Object(eachOptional(partOf('value', { annotation: true }))),
  }),
}
