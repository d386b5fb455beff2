/** `facteur campaign schedule`, `unschedule`, `duplicate`, `archive`: changes of a campaign outside its run. */
import { archiveCampaign } from '../../../core/campaigns/archive-campaign.ts'
import { duplicateCampaign } from '../../../core/campaigns/duplicate-campaign.ts'
import { scheduleCampaign, unscheduleCampaign } from '../../../core/campaigns/schedule-campaign.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { printed, timeCell } from '../result.ts'
import { readNameFlag, readText } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

const campaignSchedule = defineDatabaseCommand({
  name: 'campaign schedule',
  summary: 'Sets when a draft is sent, or another time for a scheduled one',
  note: 'All who are subscribed at that time receive it.',
  arguments: { ID: campaignArgument },
  flags: {
    ...ofWorkspace,
    at: { value: 'TIME', text: 'RFC 3339, such as 2026-12-24T08:00:00Z; at most a year ahead.', required: true, read: readText },
  },
  examples: [`campaign schedule --workspace acme ${exampleId} --at 2026-12-24T08:00:00Z`],
  run: async (ctx, { at, ...input }) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const scheduled = await scheduleCampaign(ctx, workspace.id, { id: campaign.id, at })
    return printed(
      presentCampaign(scheduled),
      `"${campaign.name}" is sent at ${timeCell(scheduled.scheduledAt)} UTC. Not after all: facteur campaign unschedule --workspace ${workspace.slug} ${campaign.id}`,
    )
  },
})

const campaignUnschedule = defineDatabaseCommand({
  name: 'campaign unschedule',
  summary: 'Makes a scheduled campaign a draft again',
  arguments: { ID: campaignArgument },
  flags: ofWorkspace,
  examples: [`campaign unschedule --workspace acme ${exampleId}`],
  run: async (ctx, input) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const draft = await unscheduleCampaign(ctx, workspace.id, campaign.id)
    return printed(presentCampaign(draft), `"${campaign.name}" is a draft again.`)
  },
})

const campaignDuplicate = defineDatabaseCommand({
  name: 'campaign duplicate',
  summary: 'Makes a new draft of any campaign',
  note: 'The way to send something again: a campaign is sent once.',
  arguments: { ID: campaignArgument },
  flags: {
    ...ofWorkspace,
    name: { value: 'N', text: 'Of the new one; absent: the same.', required: false, read: readNameFlag },
  },
  examples: [`campaign duplicate --workspace acme ${exampleId} --name "November news, again"`],
  run: async (ctx, { name, ...input }) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const draft = await duplicateCampaign(ctx, workspace.id, { id: campaign.id, name })
    return printed(presentCampaign(draft), `"${draft.name}" is a new draft: ${draft.id}`)
  },
})

const campaignArchive = defineDatabaseCommand({
  name: 'campaign archive',
  summary: 'Puts away a draft, or a campaign that was sent',
  arguments: { ID: campaignArgument },
  flags: ofWorkspace,
  examples: [`campaign archive --workspace acme ${exampleId}`],
  run: async (ctx, input) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const archived = await archiveCampaign(ctx, workspace.id, campaign.id)
    return printed(presentCampaign(archived), `"${campaign.name}" is archived. It can be read and duplicated.`)
  },
})

export const campaignPlanCommands = [campaignSchedule, campaignUnschedule, campaignDuplicate, campaignArchive]
