/** Returns the typed content of a campaign for its editor. */
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { CallContext } from '../../context.ts'
import { findDraft, presentDraft } from './typed-draft.ts'

export async function getDraft(ctx: CallContext, { params }: InputOf<'getDraft'>): Promise<AnswerOf<'getDraft'>> {
  return { body: await presentDraft(ctx, ctx.workspaceId, await findDraft(ctx, ctx.workspaceId, params.id)) }
}
