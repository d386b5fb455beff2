/** POST /campaigns: a new draft. Nothing is sent. */
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { insertDraft } from './insert-draft.ts'
import { readCampaign } from './read-campaign.ts'
import type { Verb } from '../verb.ts'

export const createCampaign: Verb<
  'createCampaign',
  Pick<CallContext, 'db' | 'makeId' | 'workspaceId'>,
  'body'
> = async (ctx, { body }) => {
  const written = await readCampaign(ctx, { workspaceId: ctx.workspaceId, request: body })
  const { trackOpens, trackClicks } = await workspaceSettings(ctx.db, ctx.workspaceId)
  const id = await ctx.db.transaction((tx) =>
    insertDraft(ctx, tx, { ...written, trackOpens, trackClicks }),
  )
  return { body: { id, object: 'campaign', name: written.name, status: 'draft' } }
}
