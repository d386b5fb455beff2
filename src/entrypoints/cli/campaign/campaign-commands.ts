/**
 * `facteur campaign …`: the commands of campaigns, from the draft to the statistics, in the order
 * in which an author meets them.
 */
import type { Campaign } from '../../../contract/campaigns.ts'
import type { CampaignApproval } from '../../../contract/workspace/approval-schema.ts'
import type { CampaignRun } from '../../../contract/workspace/campaign-run.ts'
import { callOperation } from '../derive/call-operation.ts'
import { derive, type About } from '../derive/derive-command.ts'
import { deriveList } from '../derive/derive-list.ts'
import { cellOf, present } from '../present.ts'
import { shownNumber, percentCell } from '../result.ts'
import { sayRefusal } from '../say-refusal.ts'
import { readNameFlag } from '../values.ts'
import { sayAudience } from './audience-flags.ts'
import { campaignCheckCommands } from './check-commands.ts'
import { exampleId } from './campaign-command.ts'
import { campaignRecipients, campaignRecount } from './ledger-commands.ts'
import { campaignSend } from './send-command.ts'
import { campaignTopic } from './topic-command.ts'
import { campaignWatch, sayStatus } from './watch-command.ts'
import { campaignWriteCommands } from './write-commands.ts'

const line = (verb: string): string => `campaign ${verb} --workspace acme ${exampleId}`
const next = (verb: string, { id }: Campaign, { workspace }: About): string =>
  `facteur campaign ${verb} --workspace ${workspace.slug} ${id}`
/** Programs read the campaign as they read any other. */
const json = ({ campaign }: CampaignRun): object => campaign

const withShare = (count: number, share: number | null): string =>
  shownNumber(count) + (share === null ? '' : ` (${percentCell(share)})`)

const countsOf = ({ counts, rates }: Pick<Campaign, 'counts' | 'rates'>) => ({
  delivered: withShare(counts.delivered, rates.delivered),
  opened: withShare(counts.opened, rates.opened),
  clicked: withShare(counts.clicked, rates.clicked),
  bounced: withShare(counts.bounced, rates.bounced),
  complained: counts.complained,
  unsubscribed: counts.unsubscribed,
})

/** All facts about a campaign for `campaign show`. */
async function describe(run: CampaignRun, { ctx, workspace }: About): Promise<string> {
  const {
    campaign,
    notice,
    noticeDay,
    pauseReason,
    pauseRefusal,
    refusals,
    heldUntil,
    nextTryAt,
    estimatedEndAt,
    approval,
  } = run
  const {
    id,
    name,
    subject,
    preheader,
    from,
    kind,
    topic,
    audience,
    recipients,
    progress,
    in_doubt: doubt,
  } = campaign
  const { created_at, scheduledAt, sentAt, completedAt } = campaign
  const draft = await callOperation(ctx, workspace.id, { id: 'getDraft', params: { id } })
  const follows =
    [draft.trackOpens ? ['opens'] : [], draft.trackClicks ? ['clicks'] : []].flat().join(' and ') ||
    'nothing'
  return present({
    ...{
      name,
      subject,
      preheader,
      from: from ?? 'no sender yet',
      status: sayStatus(campaign, pauseReason),
    },
    pausedFor: pauseRefusal && sayRefusal(pauseRefusal),
    notice:
      notice &&
      `it was scheduled and did not start: ${notices[notice]}${noticeDay === null ? '' : ` on ${noticeDay}`}`,
    ...{
      writtenAs: kind,
      follows,
      created_at,
      scheduledAt,
      sentAt,
      heldUntil,
      nextTryAt,
      estimatedEndAt,
      completedAt,
    },
    approval: approval && sayApproval(approval),
    audience: audience && sayAudience(audience),
    ...(topic && {
      topic: topic.name,
      ...(topic.left_out !== null && { notSubscribedToIt: topic.left_out }),
    }),
    ...(recipients > 0 && {
      recipients,
      handOff: progress,
      inDoubt: doubt?.note ?? null,
      results: countsOf(campaign),
    }),
    ...(refusals.length > 0 && {
      refusals: refusals.map(
        (refusal) => `${shownNumber(refusal.count)} times: ${sayRefusal(refusal)}`,
      ),
    }),
  })
}

/** Members ask and approve on the campaign's page; the command line is no member. */
function sayApproval({ state, recipients, ...by }: CampaignApproval): string {
  const request = by.asked_by && `${by.asked_by} asked, for ${shownNumber(recipients ?? 0)}`
  const decision = by.approved_by && `${by.approved_by} approved`
  return [approvalStatesInWords[state], request, decision].filter(Boolean).join('; ')
}

const approvalStatesInWords: Record<CampaignApproval['state'], string> = {
  none: 'nobody asked for it',
  asked: 'waits for a second member',
  approved: 'given',
  changed: 'void: content or audience changed since',
  approver_left: 'void: its member left or may no longer approve',
}

/** Why a scheduled campaign is a draft again. */
const notices: Record<NonNullable<CampaignRun['notice']>, string> = {
  overdue: 'its time had passed by more than an hour',
  restore: 'the installation was restored from a backup in which it was scheduled',
  no_sender: 'it has no sender',
  no_recipients: 'it would have reached no one',
  quota_exceeded: 'the quota of the month was not enough',
  reputation_blocked: 'sending was suspended',
  unverified_from_domain: "its sender's domain is not verified",
  audience_too_slow: 'its audience took too long to find',
  audience_invalid: 'its audience names a field or a campaign that is gone',
  approval_required: 'a second member must approve it: ask on its page',
  audience_expired: 'its audience names a campaign whose details expired',
  approval_exceeded:
    'its audience grew beyond what was approved: ask for another approval on its page',
}

export const campaignCommands = [
  ...campaignWriteCommands,
  deriveList('listCampaigns', {
    examples: ['campaign list --workspace acme', 'campaign list --workspace acme --status draft'],
    columns: [
      'id',
      'name',
      { title: 'STATUS', cell: (campaign) => sayStatus(campaign) },
      { title: 'RECIPIENTS', right: true, cell: ({ recipients }) => shownNumber(recipients) },
      { title: 'SENT', right: true, cell: ({ progress }) => shownNumber(progress.sent) },
      { title: 'WHEN (UTC)', cell: ({ sentAt, scheduledAt }) => cellOf(sentAt ?? scheduledAt) },
    ],
    empty:
      'There is no such campaign. Next: facteur campaign create --workspace W --name N --subject S --text FILE',
  }),
  derive('getCampaignRun', {
    name: 'campaign show',
    examples: [line('show')],
    json,
    say: describe,
  }),
  campaignTopic,
  ...campaignCheckCommands,
  derive('scheduleCampaign', {
    only: ['id', 'scheduledAt'],
    examples: [`${line('schedule')} --scheduled-at 2026-12-24T08:00:00Z`],
    json,
    say: ({ campaign }, about) =>
      `"${campaign.name}" is sent at ${cellOf(campaign.scheduledAt)} UTC. Not after all: ${next('unschedule', campaign, about)}`,
  }),
  derive('unscheduleCampaign', {
    examples: [line('unschedule')],
    json,
    say: ({ campaign }) => `"${campaign.name}" is a draft again.`,
  }),
  derive('duplicateCampaign', {
    read: { name: readNameFlag },
    examples: [`${line('duplicate')} --name "November news, again"`],
    json,
    say: ({ campaign }) => `"${campaign.name}" is a new draft: ${campaign.id}`,
  }),
  derive('archiveCampaign', {
    examples: [line('archive')],
    json,
    say: ({ campaign }) => `"${campaign.name}" is archived. It can be read and duplicated.`,
  }),
  campaignSend,
  derive('undoCampaignSend', {
    note: 'Within the seconds that campaign send gives. It is a draft again, its quota is given back.',
    examples: [line('undo')],
    json,
    say: ({ campaign }) => `"${campaign.name}" is a draft again; no mail was sent.`,
  }),
  derive('pauseCampaign', {
    examples: [line('pause')],
    json,
    say: ({ campaign }, about) => {
      const { pending, sent } = campaign.progress
      const left = `${shownNumber(pending)} of ${shownNumber(pending + sent)}`
      return `"${campaign.name}" is paused, ${left} left. On again: ${next('resume', campaign, about)}`
    },
  }),
  derive('resumeCampaign', {
    examples: [line('resume')],
    json,
    say: ({ campaign }) => `"${campaign.name}" goes on.`,
  }),
  derive('cancelCampaign', {
    examples: [line('cancel')],
    json,
    say: ({ campaign: { name, progress } }) =>
      `"${name}" is cancelled: ${shownNumber(progress.sent)} were sent it, ${shownNumber(progress.failed)} are not.`,
  }),
  derive('retryFailedRecipients', {
    name: 'campaign retry',
    examples: [line('retry')],
    json: ({ run, reopened }) => ({ ...run.campaign, retried: reopened }),
    say: ({ reopened }) => `${shownNumber(reopened)} who failed are tried again.`,
  }),
  derive('releaseInDoubtRecipients', {
    name: 'campaign release',
    note: 'A recipient is in doubt if the provider gave no answer. Only this command sends to them again; some will have the mail twice.',
    examples: [line('release')],
    json: ({ run, reopened }) => ({ ...run.campaign, released: reopened }),
    say: ({ reopened }) => `${shownNumber(reopened)} in doubt are sent to again.`,
  }),
  campaignWatch,
  campaignRecipients,
  derive('getCampaignStats', {
    name: 'campaign stats',
    examples: [line('stats')],
    say: ({ campaign, counts, rates, delivery, timeline, audience, links }) => {
      if (campaign.sentAt === null) return `"${campaign.name}" has not gone out.`
      const shares = (rows: typeof audience.os) =>
        rows.map(({ share, ...row }) => ({ ...row, share: percentCell(share) }))
      return present({
        recipients: counts.recipients,
        ...countsOf({ counts, rates }),
        deliveredKnownBy:
          delivery &&
          `${shownNumber(delivery.reported)} by reports, ${shownNumber(delivery.engaged)} by opens and clicks, ${withShare(delivery.assumed, delivery.assumedShare)} assumed: no bounce came`,
        throughPrivacyRelays: percentCell(audience.proxiedShare),
        ...{
          timeline,
          device: shares(audience.device),
          system: shares(audience.os),
          client: shares(audience.client),
          links,
        },
      })
    },
  }),
  campaignRecount,
]
