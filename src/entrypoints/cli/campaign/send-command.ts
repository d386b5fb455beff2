/**
 * `facteur campaign send`: sends a draft to its audience. It asks for `--yes`, because
 * sent mail cannot be recalled.
 */
import { freezeCampaign, undoSeconds } from '../../../core/campaigns/freeze-campaign.ts'
import { countAudience } from '../../../core/campaigns/preflight/check-audience.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { flag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { shownNumber, printed } from '../result.ts'
import { readWhole } from '../values.ts'
import { sayAudience } from './audience-flags.ts'
import { defineCampaignCommand, exampleId, resolveCampaign } from './campaign-command.ts'

/** The default wait for feedback on the canary. */
const canarySeconds = 900

export const campaignSend = defineCampaignCommand({
  name: 'campaign send',
  summary: 'Send a draft to its audience, once',
  note: 'The audience is everybody subscribed, or whom its page or campaign create --to and --except chose; suppressed addresses get nothing. The list is frozen now. Until the first mail leaves, and only until then, all of it can be undone.',
  flags: {
    yes: { text: 'Without it, the command only prints how many would receive it.' },
    'undo-seconds': flag(
      'N',
      `Before the first mail leaves. Default: ${undoSeconds}.`,
      readWhole(0, 3_600),
    ),
    canary: flag(
      'N',
      'The first N go ahead; the others follow if bounces and complaints stay below the thresholds.',
      readWhole(1, 1_000_000_000),
    ),
    'canary-seconds': flag(
      'N',
      `How long feedback on the first is waited for. Default: ${canarySeconds}.`,
      readWhole(1, 86_400),
    ),
  },
  checkLine: ({ canary, 'canary-seconds': seconds }) => {
    if (canary === null && seconds !== null)
      throw new CommandRefusal(
        'usage',
        '--canary-seconds is about the first ones: give --canary N.',
      )
  },
  examples: [
    `campaign send --workspace acme ${exampleId} --yes`,
    `campaign send --workspace acme ${exampleId} --canary 500 --yes`,
  ],
  run: async (ctx, { yes, canary, 'undo-seconds': undo, 'canary-seconds': seconds }) => {
    const { workspace, campaign } = ctx
    if (!yes) {
      const { reachable } = await countAudience(ctx, {
        ...{ workspaceId: workspace.id, campaignId: campaign.id },
      })
      const { audience } = presentCampaign(campaign)
      const chosen = audience === null ? '' : ` (${sayAudience(audience)})`
      const reach = `"${campaign.name}" would go to ${shownNumber(reachable)}${chosen}, and cannot be called back`
      throw new CommandRefusal('refused', `${reach}: to send it, add --yes.`)
    }
    const windowSeconds = undo ?? undoSeconds
    const parts = { ...ctx, segmentDb: ctx.db }
    const queued = await freezeCampaign(parts, {
      ...{ workspaceId: workspace.id, id: campaign.id, from: 'draft', undoSeconds: windowSeconds },
      canary: canary === null ? null : { size: canary, seconds: seconds ?? canarySeconds },
    })
    const verb = (name: string): string =>
      `facteur campaign ${name} --workspace ${workspace.slug} ${campaign.id}`
    const leaves =
      windowSeconds === 0 ? 'now' : `in ${windowSeconds} seconds. Not after all: ${verb('undo')}`
    return printed(
      { ...presentCampaign(await resolveCampaign(ctx, campaign.id)), queued },
      `${shownNumber(queued)} recipients are in the queue; the first mail leaves ${leaves}\nNext: ${verb('watch')}`,
    )
  },
})
