/** Returns the typed content of a campaign for its editor. */
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const getDraft: Verb<'getDraft'> = async (ctx, { params }) => {
  return {
    body: await presentDraft(ctx, {
      workspaceId: ctx.workspaceId,
      row: await findDraft(ctx, { workspaceId: ctx.workspaceId, id: params.id }),
    }),
  }
}
