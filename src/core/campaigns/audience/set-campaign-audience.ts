/**
 * POST /campaigns/{id}/audience: chooses whom a draft goes to. Status and suppression still decide
 * first, at the freeze.
 */
import type { Audience } from '../../../contract/workspace/campaign-audience.ts'
import type { InputOf } from '../../../contract/operations.ts'
import type { Database } from '../../../database/client/database.ts'
import { setAudience } from '../../../db/campaigns/campaign-audience.ts'
import { recordCampaignAct } from '../change-campaign.ts'
import { findCampaign, refuseState } from '../find-campaign.ts'
import type { RowKey } from '../../context.ts'
import type { Verb } from '../../verb.ts'
import { shapeError } from '../../input/shape-error.ts'
import { compileAudience } from './compile-audience.ts'
import { getCampaignAudience } from './get-campaign-audience.ts'

export const setCampaignAudience: Verb<'setCampaignAudience'> = async (ctx, { params, body }) => {
  const key = { workspaceId: ctx.workspaceId, id: params.id }
  const campaign = await findCampaign(ctx, key)
  const changedBy = ctx.user?.email ?? null
  await ctx.db.transaction(async (tx) => {
    await chooseAudience(tx, { ...key, changedBy }, audienceIn(body))
    await recordCampaignAct(ctx, tx, { act: 'campaign.audience_changed', campaign })
  })
  return getCampaignAudience(ctx, { params })
}

/** Null for everybody subscribed. */
function audienceIn({ to, except }: InputOf<'setCampaignAudience'>['body']): Audience | null {
  if (to) refuseSecondKey(to, 'to', ['segment', 'tags'])
  for (const [index, part] of (except ?? []).entries())
    refuseSecondKey(part, `except.${index}`, ['segment', 'tag', 'received'])
  const audience = { to: to ?? null, except: except ?? [] }
  return audience.to === null && audience.except.length === 0 ? null : audience
}

/** A part is one thing: of two, one would be forgotten, and a mail go to who was to be left out. */
function refuseSecondKey(part: object, path: string, allowed: string[]): void {
  if (Object.keys(part).length !== 1) throw shapeError([{ path, rule: 'one_condition', allowed }])
}

/**
 * In a transaction, which keeps its segments from being deleted. Throws `validation_error` for a
 * segment that the workspace does not have, and `conflict` where the campaign is no draft.
 */
export async function chooseAudience(
  tx: Database,
  { workspaceId, id, changedBy }: RowKey & { changedBy: string | null },
  audience: Audience | null,
): Promise<void> {
  if (audience) await compileAudience(tx, workspaceId, audience)
  if (!(await setAudience(tx, { workspaceId, campaignId: id }, audience, changedBy)))
    await refuseState({ db: tx }, { workspaceId, id })
}
