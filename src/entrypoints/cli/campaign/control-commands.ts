/** `facteur campaign pause`, `resume`, `cancel`, `undo`, `retry`, `release`: control of a campaign's run. */
import { releaseInDoubt, retryFailed } from '../../../core/campaigns/reopen-recipients.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign, undoSend } from '../../../core/campaigns/stop-campaign.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CommandContext } from '../command.ts'
import { numberCell, printed } from '../result.ts'
import type { Result } from '../result.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

const common = { arguments: { ID: campaignArgument }, flags: ofWorkspace } as const

type Act = (ctx: CommandContext, workspaceId: number, campaign: CampaignRow, slug: string) => Promise<Result>

const run =
  (act: Act) =>
  async (ctx: CommandContext, input: { workspace: string; ID: string }): Promise<Result> => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    return act(ctx, workspace.id, campaign, workspace.slug)
  }

const told = (row: CampaignRow, text: string): Result => printed(presentCampaign(row), `"${row.name}" ${text}`)

const left = ({ progress }: CampaignRow): string =>
  `${numberCell(progress.pending)} of ${numberCell(progress.pending + progress.sent)}`

const campaignPause = defineDatabaseCommand({
  ...common,
  name: 'campaign pause',
  summary: 'Has a campaign on its way stand still',
  note: 'What the provider has by now still leaves; nothing else does until it is resumed.',
  examples: [`campaign pause --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }, slug) => {
    const row = await pauseCampaign(ctx, workspaceId, id)
    return told(row, `stands still, ${left(row)} to go. On again: facteur campaign resume --workspace ${slug} ${id}`)
  }),
})

const campaignResume = defineDatabaseCommand({
  ...common,
  name: 'campaign resume',
  summary: 'Has a paused campaign go on where it stood',
  note: 'Where it was paused by its bounces or complaints, they are judged anew from here.',
  examples: [`campaign resume --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }) => told(await resumeCampaign(ctx, workspaceId, id), 'goes on.')),
})

const campaignCancel = defineDatabaseCommand({
  ...common,
  name: 'campaign cancel',
  summary: 'Ends a campaign on its way: who has not been sent it is not sent it any more',
  note: 'They are failed with the reason "cancelled", and the quota has them back.',
  examples: [`campaign cancel --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }) => {
    const row = await cancelCampaign(ctx, workspaceId, id)
    return told(row, `is cancelled: ${numberCell(row.progress.sent)} were sent it, ${numberCell(row.progress.failed)} are not.`)
  }),
})

const campaignUndo = defineDatabaseCommand({
  ...common,
  name: 'campaign undo',
  summary: 'Takes a campaign back before its first mail has left',
  note: 'Within the seconds that campaign send gives. It is a draft again.',
  examples: [`campaign undo --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }) =>
    told(await undoSend(ctx, workspaceId, id), 'is a draft again; nobody was sent it.'),
  ),
})

const campaignRetry = defineDatabaseCommand({
  ...common,
  name: 'campaign retry',
  summary: 'Sends again to those whose sending failed',
  note: 'Not to those who bounced, are suppressed or were cancelled. Each counts in the quota.',
  examples: [`campaign retry --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }) => {
    const { reopened, campaign } = await retryFailed(ctx, workspaceId, id)
    return printed({ ...presentCampaign(campaign), retried: reopened }, `${numberCell(reopened)} who failed are tried again.`)
  }),
})

const campaignRelease = defineDatabaseCommand({
  ...common,
  name: 'campaign release',
  summary: 'Sends again to those in doubt: some of them will have the mail twice',
  note: 'In doubt is whom the provider gave no answer for. Without this they are never sent to again.',
  examples: [`campaign release --workspace acme ${exampleId}`],
  run: run(async (ctx, workspaceId, { id }) => {
    const { reopened, campaign } = await releaseInDoubt(ctx, workspaceId, id)
    return printed({ ...presentCampaign(campaign), released: reopened }, `${numberCell(reopened)} in doubt are sent to again.`)
  }),
})

export const campaignControlCommands = [
  campaignUndo,
  campaignPause,
  campaignResume,
  campaignCancel,
  campaignRetry,
  campaignRelease,
]
