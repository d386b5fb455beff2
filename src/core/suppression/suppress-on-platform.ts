/** Suppresses an address for all workspaces; only the operator can do this. */
import {
  upsertPlatformSuppression,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { eachWorkspace } from '../each-workspace.ts'
import { stopPendingMail } from './stop-pending-mail.ts'

/**
 * `cells`: a context of each. Commits the entry, then stops unclaimed mail to the address,
 * workspace by workspace. After it returns, only rows that were claimed before may still leave
 * (semantics 2). `email` is the lower-cased address; `settled` counts the rows that no longer
 * leave.
 */
export async function suppressOnPlatform(
  cells: readonly Pick<Context, 'cell' | 'db' | 'makeId' | 'wake'>[],
  email: string,
): Promise<{ entry: SuppressionRow; settled: number }> {
  const [home] = cells
  if (!home) throw new Error('There is no cell')
  const entry = await upsertPlatformSuppression(home.db, { id: home.makeId(), email })
  let settled = 0
  for (const ctx of cells)
    for await (const page of eachWorkspace(ctx)) {
      for (const { id } of page)
        settled += await stopPendingMail(ctx, {
          workspaceId: id,
          addresses: [{ email, reason: entry.reason }],
        })
    }
  return { entry, settled }
}
