/** Looks at a draft before it is sent, unfinished or not, and tells what to mend. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { CallContext } from '../../context.ts'
import { preflightCampaign } from '../preflight-campaign.ts'
import { findDraft, showDraft } from './typed-draft.ts'

/** How long links are waited for, all together. */
const linksWaitMs = 60_000

export async function preflightDraft(
  ctx: CallContext,
  { params: { id } }: InputOf<'preflightDraft'>,
): Promise<AnswerOf<'preflightDraft'>> {
  const { version, problems } = await showDraft(ctx, ctx.workspaceId, await findDraft(ctx, ctx.workspaceId, id))
  const captures = ctx.providers.of(ctx.workspaceId).name === 'local-capture'
  const signal = AbortSignal.timeout(linksWaitMs)
  const { findings, audience } = await preflightCampaign({ ...ctx, signal }, ctx.workspaceId, { id, captures })
  return { body: { version, problems, findings, audience } }
}
