/** POST /campaigns: a new draft. Nothing is sent. */
import { insertCampaign } from '../../db/campaigns/campaigns.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { withinLimit } from '../input/within-limit.ts'
import { blankFields } from './field-values.ts'
import { readCampaign } from './read-campaign.ts'
import type { Verb } from '../verb.ts'

export const createCampaign: Verb<
  'createCampaign',
  Pick<CallContext, 'db' | 'makeId' | 'workspaceId'>,
  'body'
> = async (ctx, { body }) => {
  const written = await readCampaign(ctx, { workspaceId: ctx.workspaceId, request: body })
  const { trackOpens, trackClicks } = await workspaceSettings(ctx.db, ctx.workspaceId)
  const id = ctx.makeId()
  await ctx.db.transaction((tx) =>
    withinLimit(tx, ctx.workspaceId, 'drafts', () =>
      insertCampaign(tx, ctx.workspaceId, {
        ...blankFields,
        ...written,
        id,
        trackOpens,
        trackClicks,
      }),
    ),
  )
  return { body: { id, object: 'campaign', name: written.name, status: 'draft' } }
}
