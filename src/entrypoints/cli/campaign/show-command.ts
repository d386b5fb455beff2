/** `facteur campaign list` and `show`: the campaigns of a workspace, with status and results. */
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { campaignStatuses } from '../../../contract/campaigns.ts'
import type { CampaignStatus } from '../../../contract/campaigns.ts'
import { campaignIds, campaignsById } from '../../../db/campaigns/campaigns.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CommandContext } from '../command.ts'
import { resolveWorkspace } from '../find-workspace.ts'
import { didYouMean } from '../../../nearest.ts'
import { CommandRefusal } from '../refusal.ts'
import { listed, numberCell, printed, timeCell } from '../result.ts'
import { pairs } from '../terminal-text.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'

export const campaignList = defineDatabaseCommand({
  name: 'campaign list',
  summary: 'Lists the campaigns of a workspace, newest first',
  arguments: {},
  flags: {
    ...ofWorkspace,
    status: { value: 'STATUS', text: `One of ${campaignStatuses.join(', ')}.`, required: false, read: readStatus },
  },
  examples: ['campaign list --workspace acme', 'campaign list --workspace acme --status draft'],
  run: (ctx, { workspace: W, status }) =>
    Promise.resolve(
      listed({
        pages: campaigns(ctx, W, status),
        columns: [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'STATUS', cell: printStatus },
          { title: 'RECIPIENTS', right: true, cell: ({ recipients }) => numberCell(recipients) },
          { title: 'SENT', right: true, cell: ({ progress }) => numberCell(progress.sent) },
          { title: 'WHEN (UTC)', cell: ({ sentAt, scheduledAt }) => timeCell(sentAt ?? scheduledAt) },
        ],
        json: presentCampaign,
        empty: 'There is no such campaign. Next: facteur campaign create --workspace W --name N --subject S --text FILE',
      }),
    ),
})

export const campaignShow = defineDatabaseCommand({
  name: 'campaign show',
  summary: 'Shows a campaign: where it stands and what came of it',
  arguments: { ID: campaignArgument },
  flags: ofWorkspace,
  examples: ['campaign show --workspace acme 019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'],
  run: async (ctx, input) => {
    const { campaign } = await resolveCampaign(ctx, input)
    return printed(presentCampaign(campaign), pairs(describeCampaign(campaign)))
  },
})

/** `sending, paused: complaints` where there is more to say than the status. */
export function printStatus({ status, pausedAt, pauseReason }: CampaignRow): string {
  if (status !== 'sending' || pausedAt === null) return status
  return pauseReason === null ? 'sending, paused' : `sending, paused: ${pauseReason}`
}

export function describeCampaign(campaign: CampaignRow): [string, string][] {
  const { progress, recipients } = campaign
  const { counts, rates, from } = presentCampaign(campaign)
  const share = (rate: number | null): string => (rate === null ? '' : ` (${(rate * 100).toFixed(1)} %)`)
  const facts: [string, string | null][] = [
    ['Name', campaign.name],
    ['Subject', campaign.subject],
    ['Preheader', campaign.preheader],
    ['From', from ?? 'nobody yet'],
    ['Status', printStatus(campaign)],
    ['Notice', campaign.notice && tellNotice(campaign.notice)],
    ['Written as', campaign.kind],
    ['Follows', follows(campaign)],
    ['Created', `${timeCell(campaign.createdAt)} UTC`],
    ['Scheduled', campaign.scheduledAt && `${timeCell(campaign.scheduledAt)} UTC`],
    ['Sent', campaign.sentAt && `${timeCell(campaign.sentAt)} UTC`],
    ['Completed', campaign.completedAt && `${timeCell(campaign.completedAt)} UTC`],
  ]
  const figures: [string, string][] = [
    ['Recipients', numberCell(recipients)],
    ['Pending', numberCell(progress.pending)],
    ['Handed over', numberCell(progress.sent)],
    ['Failed', numberCell(progress.failed)],
    ['Suppressed', numberCell(progress.suppressed)],
    ['In doubt', numberCell(progress.in_doubt)],
    ['Delivered', numberCell(counts.delivered) + share(rates.delivered)],
    ['Opened', numberCell(counts.opened) + share(rates.opened)],
    ['Clicked', numberCell(counts.clicked) + share(rates.clicked)],
    ['Bounced', numberCell(counts.bounced) + share(rates.bounced)],
    ['Complained', numberCell(counts.complained)],
    ['Unsubscribed', numberCell(counts.unsubscribed)],
  ]
  const told = facts.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))
  return recipients === 0 ? told : [...told, ...figures]
}

/** Why a scheduled campaign is a draft again. */
const tellNotice = (notice: string): string => `it was scheduled and did not start: ${notices[notice] ?? notice}`

const notices: Record<string, string> = {
  overdue: 'its time had passed by more than an hour',
  no_sender: 'it has no sender',
  no_recipients: 'it would have reached nobody',
  quota_exceeded: 'the quota of the month was not enough',
  reputation_blocked: 'sending was suspended',
  unverified_from_domain: "its sender's domain is not verified",
}

const follows = ({ trackOpens, trackClicks }: CampaignRow): string =>
  [trackOpens && 'opens', trackClicks && 'clicks'].filter((what) => what !== false).join(' and ') || 'nothing'

const pageSize = 200

async function* campaigns(ctx: CommandContext, W: string, status: CampaignStatus | null): AsyncGenerator<CampaignRow[]> {
  const { id } = await resolveWorkspace(ctx, W)
  for (let before: string | null = null; ;) {
    const ids: string[] = await campaignIds(ctx.db, id, { status, most: pageSize, before })
    if (ids.length > 0) yield await campaignsById(ctx.db, id, ids)
    if (ids.length < pageSize) return
    before = ids.at(-1) ?? null
  }
}

function readStatus(text: string): CampaignStatus {
  const status = campaignStatuses.find((known) => known === text)
  if (status) return status
  throw new CommandRefusal('usage', `There is no status "${text}"${didYouMean(text, campaignStatuses)}`)
}
