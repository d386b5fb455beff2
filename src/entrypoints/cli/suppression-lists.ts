/** Finds the suppression list that a command means, and reads its entries page by page. */
import { platformSuppression } from '../../core/suppression/remove-suppression.ts'
import { suppressionPage } from '../../db/suppression/suppression-pages.ts'
import {
  platformSuppressionPage,
  suppressionsOf,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { CommandContext } from './command.ts'
import { resolveWorkspace } from './workspace-command.ts'
import { keysetPages } from './keyset-pages.ts'
import { anyWorkspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'

export const whichList = {
  workspace: { ...anyWorkspaceFlag, text: 'The list of this workspace (its id or slug).' },
  platform: {
    text: 'The list of the whole platform instead: its addresses receive nothing from any workspace.',
  },
} as const

export async function* workspaceEntries(
  ctx: CommandContext,
  W: string,
  email: string | null,
): AsyncGenerator<SuppressionRow[]> {
  const { id, databaseId } = await resolveWorkspace(ctx, W)
  const { db } = await ctx.inCell(databaseId)
  if (email !== null) yield await suppressionsOf(db, id, [email])
  else yield* keysetPages((page) => suppressionPage(db, id, page), placeOf)
}

export async function* platformEntries(
  ctx: CommandContext,
  email: string | null,
): AsyncGenerator<SuppressionRow[]> {
  if (email === null)
    return yield* keysetPages((page) => platformSuppressionPage(ctx.db, page), placeOf)
  const entry = await platformSuppression(ctx, email)
  if (entry) yield [entry]
}

const placeOf = ({ createdAt, id }: SuppressionRow) => ({ at: createdAt.toISOString(), id })

export function checkListPlace({
  workspace,
  platform,
}: {
  workspace: string | null
  platform: boolean
}): void {
  if (platform && workspace !== null)
    throw new CommandRefusal('usage', 'Give --workspace or --platform, not both.')
  if (!platform && workspace === null)
    throw new CommandRefusal('usage', 'Which list? Give --workspace W or --platform.')
}
