/** POST /campaigns/{id}/send: freezes the list of present subscribers and starts the campaign. */
import { fill, texts, type Language } from '../../texts/texts.ts'
import type { Verb } from '../verb.ts'
import { recordCampaignAct } from './change-campaign.ts'
import { freezeCampaign } from './freeze-campaign.ts'

export const sendCampaign: Verb<'sendCampaign'> = async (ctx, { params, query }) => {
  const queued = await freezeCampaign(ctx, {
    ...{ workspaceId: ctx.workspaceId, id: params.id, from: 'draft', heldSeconds: 0, canary: null },
    ...(query.confirm_recipients !== undefined && { confirmed: query.confirm_recipients }),
    alongside: (tx, campaign) => recordCampaignAct(ctx, tx, { act: 'campaign.sent', campaign }),
  })
  return {
    body: {
      id: params.id,
      object: 'campaign',
      status: 'sending',
      queued,
      note: sayQueued(queued, ctx.language),
    },
  }
}

/** A sentence for users. */
function sayQueued(queued: number, language: Language): string {
  const { one, many } = texts[language].campaignQueued
  return fill(queued > 1 ? many : one, { count: queued.toLocaleString(language) })
}
