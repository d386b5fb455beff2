/** Commands about one workspace: `--workspace W` names it, and it is found before they run. */
import { findWorkspace, workspacePage, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { didYouMean } from '../../ground/nearest.ts'
import type {
  Arguments,
  Command,
  CommandContext,
  CommandInput,
  Described,
  Flags,
  Runs,
} from './command.ts'
import { workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { defineDatabaseCommand } from './with-context.ts'

export type WorkspaceContext = CommandContext & { workspace: WorkspaceRow }
type Input<A, F> = CommandInput<A, F & { workspace: typeof workspaceFlag }>

export const defineWorkspaceCommand = <const A extends Arguments = {}, const F extends Flags = {}>({
  run,
  ...described
}: Described<A, F, Input<A, F>> & Runs<WorkspaceContext, Input<A, F>>): Command =>
  defineDatabaseCommand<A, F & { workspace: typeof workspaceFlag }>({
    ...described,
    flags: { workspace: workspaceFlag, ...described.flags } as F & {
      workspace: typeof workspaceFlag
    },
    run: async (ctx, input) => {
      const workspace = await resolveWorkspace(ctx, input.workspace)
      return run({ ...(await ctx.inCell(workspace.databaseId)), workspace }, input)
    },
  })

/** Refuses an unknown workspace with a hint that helps to find it. */
export async function resolveWorkspace(
  ctx: Pick<CommandContext, 'db'>,
  idOrSlug: string,
): Promise<WorkspaceRow> {
  const workspace = await findWorkspace(ctx.db, idOrSlug)
  if (workspace) return workspace
  const slugs = (await workspacePage(ctx.db, { after: 0, max: 1_000 })).map(({ slug }) => slug)
  throw new CommandRefusal(
    'not_found',
    `There is no workspace "${idOrSlug}"${didYouMean(idOrSlug, slugs)} "facteur workspace list" shows all.`,
  )
}
