/** Returns the typed content of a campaign for its editor. */
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const getDraft: Verb<'getDraft'> = async (ctx, { params }) => {
  return { body: await presentDraft(ctx, ctx.workspaceId, await findDraft(ctx, ctx.workspaceId, params.id)) }
}
