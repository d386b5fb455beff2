/** Presents a campaign in the API: content, status and results (semantics 4: Campaign). */
import { formatMailbox } from '../../ground/address.ts'
import { onlyFields, partOf, type CampaignMail } from '../../contract/campaign-fields.ts'
import type {
  Campaign,
  CampaignCounts,
  CampaignDoubt,
  CampaignRates,
  CampaignStats,
  WorkspaceCampaign,
} from '../../contract/campaigns.ts'
import type { FoundCampaign } from '../../contract/workspace/drafts.ts'
import type { ReaderRates } from '../../contract/workspace/overview-period.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { fillTags, type MergeValues } from '../../mail/merge/merge-tags.ts'
import { fill, texts, type Language } from '../../ground/texts/texts.ts'
import { rfc3339 } from '../input/read-time.ts'

/** `language` is that of its sentences; the operator's commands speak English. */
export function presentCampaign(row: CampaignRow, language: Language = 'en'): Campaign {
  const counts = campaignCounts(row)
  return {
    object: 'campaign',
    id: row.id,
    ...onlyFields({ ...row, from: senderOf(row) }, fieldsOfAll),
    status: row.status,
    kind: row.kind,
    reply_to: row.replyTo,
    track_opens: row.trackOpens,
    track_clicks: row.trackClicks,
    topic:
      row.topicId === null
        ? null
        : { ...{ id: row.topicId, name: row.topicName ?? '' }, left_out: row.topicLeft },
    audience:
      row.exclusions === null ? null : { name: row.audienceName, exclusions: row.exclusions },
    recipients: row.recipients,
    queued: row.recipients,
    progress: row.progress,
    in_doubt: inDoubtOf(row, language),
    counts,
    rates: campaignRates(counts),
    paused: row.status === 'sending' && row.pausedAt !== null,
    scheduledAt: row.scheduledAt && rfc3339(row.scheduledAt),
    sentAt: row.sentAt && rfc3339(row.sentAt),
    completedAt: row.completedAt && rfc3339(row.completedAt),
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
    updatedAt: rfc3339(row.updatedAt),
  }
}

const fieldsOfAll = partOf('value', { readers: 'all' })

/** As the header shows it; null while there is no sender. */
export const senderOf = ({
  fromName,
  fromEmail,
}: Pick<CampaignMail, 'fromName' | 'fromEmail'>): string | null =>
  fromEmail === null ? null : formatMailbox({ name: fromName, address: fromEmail })

function inDoubtOf(
  { progress: { in_doubt: recipients } }: CampaignRow,
  language: Language,
): CampaignDoubt | null {
  if (recipients === 0) return null
  const { one: singular, many } = texts[language].campaignInDoubt
  return {
    recipients,
    note: fill(recipients > 1 ? many : singular, { count: recipients.toLocaleString(language) }),
  }
}

/**
 * Presents the campaign for its pages: with the subject typed in the editor, and what only users
 * read.
 */
export const presentForUsers = (row: CampaignRow, language: Language): WorkspaceCampaign => ({
  ...presentCampaign(row, language),
  ...onlyFields(row, fieldsOfUsers),
  subject: row.typedSubject ?? row.subject,
})

/** As users find it in their list; `reader`: whose values its subject shows. Null means nobody's. */
export function presentFoundCampaign(
  row: CampaignRow,
  language: Language,
  reader: MergeValues | null,
): FoundCampaign {
  const campaign = presentForUsers(row, language)
  return {
    ...campaign,
    unfinished: row.unfinished,
    renderedSubject: fillTags(campaign.subject, reader),
    readerRates: readerRates(row),
  }
}

/** A relay may load a mail that nobody reads. A mail without tracking has no rate, not one of 0. */
export function readerRates(row: CampaignRow): ReaderRates {
  const counts = campaignCounts(row)
  const opened = Math.max(0, counts.opened - row.relayed)
  const rates = campaignRates({ ...counts, opened })
  return {
    opened: row.trackOpens ? rates.opened : null,
    clicked: row.trackClicks ? rates.clicked : null,
  }
}

const fieldsOfUsers = partOf('value', { readers: 'users' })

export const campaignCounts = ({
  recipients,
  counted,
}: Pick<CampaignRow, 'recipients' | 'counted'>): CampaignCounts => ({
  recipients,
  ...{ delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0 },
  ...counted,
})

/**
 * Rates from 0 to 1; null without a divisor (spec: CampaignStats, rates). Opens of bounced
 * recipients do not count (db/feedback/campaign-feedback.ts). A process of the previous version may
 * still count them, so rates are capped at 1.
 */
export function campaignRates({
  recipients,
  delivered,
  opened,
  clicked,
  bounced,
}: CampaignCounts): CampaignRates {
  const shareOf = (part: number, whole: number): number | null =>
    whole === 0 ? null : Math.min(1, part / whole)
  return {
    delivered: shareOf(delivered, recipients),
    opened: shareOf(opened, delivered),
    clicked: shareOf(clicked, delivered),
    bounced: shareOf(bounced, recipients),
  }
}

/**
 * How deliveries are known. Counters of processes of the previous version may lag behind, so that
 * parts never exceed the whole.
 */
export function campaignDelivery({
  counted,
  assumed,
  engaged,
}: Pick<CampaignRow, 'counted' | 'assumed' | 'engaged'>): CampaignStats['delivery'] {
  if (assumed === null) return null
  const { delivered = 0 } = counted
  const silent = Math.min(Math.max(0, assumed), delivered)
  const unconfirmed = Math.min(Math.max(0, engaged), delivered - silent)
  return {
    ...{ reported: delivered - silent - unconfirmed, engaged: unconfirmed, assumed: silent },
    assumedShare: delivered === 0 ? null : silent / delivered,
  }
}
