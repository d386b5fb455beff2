/**
 * Removes an address from a suppression list. Only users and the operator can do this, never an API
 * key.
 */
import type { Database } from '../../database/client/database.ts'
import {
  deletePlatformSuppression,
  deleteSuppression,
  suppressionsOf,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'

export interface Lifted {
  /** The removed entry. */
  lifted: SuppressionRow
  /** An entry of the platform's list that still suppresses the address. */
  remaining: SuppressionRow | null
}

/**
 * Returns null when the workspace's list does not hold the address. `email` is the lower-cased
 * address.
 */
export async function removeSuppression(
  ctx: { db: Database },
  { workspaceId, email }: { workspaceId: number; email: string },
): Promise<Lifted | null> {
  const entries = await suppressionsOf(ctx.db, workspaceId, [email])
  const lifted = entries.find((entry) => entry.scope === 'organization')
  if (!lifted || (await deleteSuppression(ctx.db, workspaceId, email)) === 0) return null
  return { lifted, remaining: entries.find((entry) => entry.scope === 'platform') ?? null }
}

/** Returns null when the platform's list does not hold the address. Entries of workspaces stay. */
export async function liftPlatformSuppression(
  ctx: Pick<Context, 'db'>,
  email: string,
): Promise<SuppressionRow | null> {
  const lifted = await platformSuppression(ctx, email)
  if (!lifted || (await deletePlatformSuppression(ctx.db, email)) === 0) return null
  return lifted
}

/** Workspace 0 does not exist, so only the platform's entry is found. */
export async function platformSuppression(
  ctx: Pick<Context, 'db'>,
  email: string,
): Promise<SuppressionRow | null> {
  const [entry] = await suppressionsOf(ctx.db, 0, [email])
  return entry ?? null
}
