/** Sends one copy of a draft to the user who asks, and to nobody else; no quota counts it. */
import { parseMailbox } from '../../../contract/address.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { CallContext } from '../../context.ts'
import { refuseState } from '../find-campaign.ts'
import { sendTest } from '../send-test.ts'
import { findDraft } from './typed-draft.ts'

export async function sendDraftTest(
  ctx: CallContext,
  { params: { id } }: InputOf<'sendDraftTest'>,
): Promise<AnswerOf<'sendDraftTest'>> {
  const { unfinished } = await findDraft(ctx, ctx.workspaceId, id)
  if (unfinished) await refuseState(ctx, ctx.workspaceId, id)
  const to = parseMailbox(ctx.user?.email ?? '')
  if ('rule' in to) throw new ApiError('validation_error', { ...to, path: 'to', rule: `address.${to.rule}` })
  return { body: { id: await sendTest(ctx, ctx.workspaceId, { id, to }), to: to.address } }
}
