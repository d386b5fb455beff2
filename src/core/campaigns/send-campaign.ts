/**
 * POST /campaigns/{id}/send: freezes the list of present subscribers and starts the campaign. Users
 * have a moment in which they can undo it.
 */
import { fill, texts, type Language } from '../../ground/texts/texts.ts'
import { isByKey } from '../context.ts'
import type { Verb } from '../verb.ts'
import { recordCampaignAct } from './change-campaign.ts'
import { freezeCampaign, undoSeconds } from './freeze-campaign.ts'

export const sendCampaign: Verb<'sendCampaign'> = async (ctx, { params, query }) => {
  const { confirm_recipients: confirmed } = query
  const details = confirmed !== undefined && { details: { recipients: confirmed } }
  const queued = await freezeCampaign(ctx, {
    ...{ workspaceId: ctx.workspaceId, id: params.id, from: 'draft', canary: null },
    undoSeconds: ctx.user ? undoSeconds : 0,
    isByKey: isByKey(ctx),
    ...(confirmed !== undefined && { confirmed }),
    inSameTransaction: (tx, campaign) =>
      recordCampaignAct(ctx, tx, { act: 'campaign.sent', campaign, ...details }),
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
  const { one: singular, many } = texts[language].campaignQueued
  return fill(queued > 1 ? many : singular, { count: queued.toLocaleString(language) })
}
