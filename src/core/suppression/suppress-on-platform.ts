/** Suppresses an address for all workspaces; only the operator can do this. */
import {
  upsertPlatformSuppression,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { workspacesIn } from '../each-workspace.ts'
import { stopPendingMail } from './stop-pending-mail.ts'

type SuppressingContext = Pick<Context, 'databaseId' | 'db' | 'makeId' | 'wake'>

/**
 * `databases`: a context of each. Commits the entry, then stops unclaimed mail to the address,
 * workspace by workspace. After it returns, only rows that were claimed before may still leave
 * (semantics 2). `email` is the lower-cased address; `settled` counts the rows that no longer
 * leave.
 */
export async function suppressOnPlatform(
  ctx: SuppressingContext,
  { databases, email }: { databases: readonly SuppressingContext[]; email: string },
): Promise<{ entry: SuppressionRow; settled: number }> {
  const entry = await upsertPlatformSuppression(ctx.db, { id: ctx.makeId(), email })
  const addresses = [{ email, reason: entry.reason }]
  let settled = 0
  for await (const { at, workspaceId } of workspacesIn(databases))
    settled += await stopPendingMail(at, { workspaceId, addresses })
  return { entry, settled }
}
