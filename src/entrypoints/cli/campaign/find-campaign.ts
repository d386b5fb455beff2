/** Finds the campaign that a command names. Otherwise its refusal has a hint that helps to find it. */
import { campaignsById, type CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { WorkspaceRow } from '../../../db/workspaces/workspaces.ts'
import { isId } from '../../../ids.ts'
import type { CommandContext } from '../command.ts'
import { resolveWorkspace } from '../find-workspace.ts'
import { argument, workspaceFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { readText } from '../values.ts'

/** The arguments of commands about one campaign. */
export const campaignArgument = argument("The campaign's id, which campaign list shows.", readText)
export const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
export const ofWorkspace = { workspace: workspaceFlag } as const

export async function resolveCampaign(
  ctx: CommandContext,
  { workspace: W, ID }: { workspace: string; ID: string },
): Promise<{ workspace: WorkspaceRow; campaign: CampaignRow }> {
  const workspace = await resolveWorkspace(ctx, W)
  const [campaign] = isId(ID) ? await campaignsById(ctx.db, workspace.id, [ID]) : []
  if (campaign) return { workspace, campaign }
  const all = `"facteur campaign list --workspace ${workspace.slug}" shows all.`
  throw new CommandRefusal('not_found', `${workspace.slug} has no campaign "${ID}": ${all}`)
}
