/**
 * Commands about one campaign: it is found before they run; otherwise the refusal has a hint that
 * helps to find it.
 */
import { campaignsById, type CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { isId } from '../../../ground/ids.ts'
import type { Arguments, Command, CommandInput, Described, Flags, Runs } from '../command.ts'
import { argument, type workspaceFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { readText } from '../values.ts'
import { defineWorkspaceCommand, type WorkspaceContext } from '../workspace-command.ts'

const campaignArgument = {
  ID: argument("The campaign's id, which campaign list shows.", readText),
} as const
export const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

type Input<A, F> = CommandInput<
  typeof campaignArgument & A,
  F & { workspace: typeof workspaceFlag }
>

export const defineCampaignCommand = <const A extends Arguments = {}, const F extends Flags = {}>({
  run,
  ...described
}: Described<A, F, Input<A, F>> &
  Runs<WorkspaceContext & { campaign: CampaignRow }, Input<A, F>>): Command =>
  defineWorkspaceCommand<typeof campaignArgument & A, F>({
    ...described,
    arguments: { ...campaignArgument, ...described.arguments } as typeof campaignArgument & A,
    run: async (ctx, input) =>
      run({ ...ctx, campaign: await resolveCampaign(ctx, String(input.ID)) }, input),
  })

export async function resolveCampaign(
  { db, workspace }: WorkspaceContext,
  id: string,
): Promise<CampaignRow> {
  const [campaign] = isId(id) ? await campaignsById(db, workspace.id, [id]) : []
  if (campaign) return campaign
  const all = `"facteur campaign list --workspace ${workspace.slug}" shows all.`
  throw new CommandRefusal('not_found', `${workspace.slug} has no campaign "${id}": ${all}`)
}
