/** POST /campaigns: a new draft. Nothing is sent. */
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { insertDraft, type WithUser } from './insert-draft.ts'
import { withOwnNames } from './own-names.ts'
import { readCampaign } from './read-campaign.ts'
import type { Verb } from '../verb.ts'

export const createCampaign: Verb<
  'createCampaign',
  Pick<CallContext, 'db' | 'makeId' | 'workspaceId'> & WithUser,
  'body'
> = async (ctx, { body }) => {
  const fields = withOwnNames(body)
  const settings = await workspaceSettings(ctx.db, ctx.workspaceId)
  const request = {
    ...fields,
    trackOpens: fields.trackOpens ?? settings.trackOpens,
    trackClicks: fields.trackClicks ?? settings.trackClicks,
  }
  const written = await readCampaign(ctx, { workspaceId: ctx.workspaceId, request })
  const id = await ctx.db.transaction((tx) => insertDraft(ctx, tx, written))
  return { body: { id, object: 'campaign', name: written.name, status: 'draft' } }
}
