/** Checks one domain whose records are due, in the background. */
import { takeDueDomain } from '../../db/domains/domains.ts'
import { lookUpDomain, type Checking } from './look-up-domain.ts'

/**
 * If a process dies, others take its domain after this time; a check with an unresponsive DNS takes
 * a good part of it.
 */
const leaseSeconds = 600

/** Returns false when none is due. */
export async function lookUpDueDomain(ctx: Checking, workspaceId: number): Promise<boolean> {
  const name = await takeDueDomain(ctx.db, workspaceId, leaseSeconds)
  if (name === null) return false
  await lookUpDomain(ctx, { workspaceId, name })
  return true
}
