/** Takes an address off a suppression list: for the operator's command line and for a signed-in user. No API key can. */
import type { Database } from '../../db/connection/connect.ts'
import { deletePlatformSuppression, deleteSuppression, suppressionsOf } from '../../db/suppression/suppressions.ts'
import type { SuppressionRow } from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'

export interface Lifted {
  /** The entry that was removed. */
  lifted: SuppressionRow
  /** The platform's own entry, which still suppresses the address. */
  remaining: SuppressionRow | null
}

/** Null when the workspace's list does not hold the address. `email` is the lower-cased address. */
export async function liftSuppression(ctx: { db: Database }, workspaceId: number, email: string): Promise<Lifted | null> {
  const entries = await suppressionsOf(ctx.db, workspaceId, [email])
  const lifted = entries.find((entry) => entry.scope === 'organization')
  if (!lifted || (await deleteSuppression(ctx.db, workspaceId, email)) === 0) return null
  return { lifted, remaining: entries.find((entry) => entry.scope === 'platform') ?? null }
}

/** Null when the platform's list does not hold the address. Workspaces keep their own entries. */
export async function liftPlatformSuppression(ctx: Pick<Context, 'db'>, email: string): Promise<SuppressionRow | null> {
  const lifted = await platformSuppression(ctx, email)
  if (!lifted || (await deletePlatformSuppression(ctx.db, email)) === 0) return null
  return lifted
}

/** Asks for workspace 0, which does not exist, so that only the platform's entry comes back. */
export async function platformSuppression(ctx: Pick<Context, 'db'>, email: string): Promise<SuppressionRow | null> {
  const [entry] = await suppressionsOf(ctx.db, 0, [email])
  return entry ?? null
}
