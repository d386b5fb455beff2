/**
 * POST /campaigns/{id}/launch: freezes the list and starts the campaign after a moment in which a
 * user can undo it.
 */
import type { Verb } from '../verb.ts'
import { answerRun, recordCampaignAct } from './change-campaign.ts'
import { freezeCampaign } from './freeze-campaign.ts'

/** Seconds to notice a mistake before the first mail leaves. */
const undoSeconds = 30

export const launchCampaign: Verb<'launchCampaign'> = async (
  ctx,
  { params: { id }, body: { confirmRecipients: confirmed } },
) => {
  await freezeCampaign(ctx, {
    ...{
      workspaceId: ctx.workspaceId,
      id,
      from: 'draft',
      heldSeconds: undoSeconds,
      canary: null,
      confirmed,
    },
    alongside: (tx, campaign) =>
      recordCampaignAct(ctx, tx, {
        act: 'campaign.sent',
        campaign,
        details: { recipients: confirmed },
      }),
  })
  return answerRun(ctx, id)
}
