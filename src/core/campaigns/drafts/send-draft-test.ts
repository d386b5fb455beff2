/** Sends one copy of a draft, only to the user who asks; no quota counts it. */
import { parseMailbox } from '../../../ground/address.ts'
import { ApiError } from '../../../contract/errors.ts'
import { refuseState } from '../find-campaign.ts'
import { sendTest } from '../send-test.ts'
import { findDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const sendDraftTest: Verb<'sendDraftTest'> = async (ctx, { params: { id } }) => {
  const { unfinished } = await findDraft(ctx, { workspaceId: ctx.workspaceId, id })
  if (unfinished) await refuseState(ctx, { workspaceId: ctx.workspaceId, id })
  const to = parseMailbox(ctx.user?.email ?? '')
  if ('rule' in to)
    throw new ApiError('validation_error', { ...to, path: 'to', rule: `address.${to.rule}` })
  return {
    body: { id: await sendTest(ctx, { workspaceId: ctx.workspaceId, id, to }), to: to.address },
  }
}
