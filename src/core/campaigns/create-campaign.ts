/** POST /campaigns: a new draft. Nothing is sent. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { insertCampaign } from '../../db/campaigns/campaigns.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { withinLimit } from '../input/within-limit.ts'
import { readCampaign } from './read-campaign.ts'

export async function createCampaign(
  ctx: Pick<CallContext, 'db' | 'makeId' | 'workspaceId'>,
  { body }: Pick<InputOf<'createCampaign'>, 'body'>,
): Promise<AnswerOf<'createCampaign'>> {
  const written = await readCampaign(ctx, ctx.workspaceId, body)
  const { trackOpens, trackClicks } = await workspaceSettings(ctx.db, ctx.workspaceId)
  const id = ctx.makeId()
  await ctx.db.transaction((tx) =>
    withinLimit(tx, ctx.workspaceId, 'drafts', () =>
      insertCampaign(tx, ctx.workspaceId, { ...written, id, trackOpens, trackClicks }),
    ),
  )
  return { body: { id, object: 'campaign', name: written.name, status: 'draft' } }
}
