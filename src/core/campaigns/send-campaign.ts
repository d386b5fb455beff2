/** POST /campaigns/{id}/send: freezes the list of those who are subscribed now, and has it handed over. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { freezeCampaign } from './freeze-campaign.ts'
import { noting } from './noting.ts'

export async function sendCampaign(
  ctx: CallContext,
  { params, query }: InputOf<'sendCampaign'>,
): Promise<AnswerOf<'sendCampaign'>> {
  const queued = await freezeCampaign(noting(ctx, 'campaign.sent'), ctx.workspaceId, {
    ...{ id: params.id, from: 'draft', heldSeconds: 0, canary: null },
    ...(query.confirm_recipients !== undefined && { confirmed: query.confirm_recipients }),
  })
  return { body: { id: params.id, object: 'campaign', status: 'sending', queued, note: notes[ctx.settings.language](queued) } }
}

/** For people. */
const notes = {
  fr: (queued: number) => `${queued.toLocaleString('fr')} destinataire${queued > 1 ? 's' : ''} en file d'envoi.`,
  en: (queued: number) => `${queued.toLocaleString('en')} recipient${queued > 1 ? 's are' : ' is'} in the queue.`,
}
