/** Looks at one domain of a workspace whose records are due: the background's part in keeping domains verified. */
import { takeDueDomain } from '../../db/domains.ts'
import { lookAtDomain } from './look-at-domain.ts'
import type { Checking } from './look-at-domain.ts'

/** Who takes a domain up and dies leaves it to others after this long; a look at an unanswering DNS takes a good part of it. */
const leaseSeconds = 600

/** False: none is due. */
export async function lookAtDueDomain(ctx: Checking, workspaceId: number): Promise<boolean> {
  const name = await takeDueDomain(ctx.db, workspaceId, leaseSeconds)
  if (name === null) return false
  await lookAtDomain(ctx, workspaceId, name)
  return true
}
