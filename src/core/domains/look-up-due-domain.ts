/** Looks at one domain of a workspace whose records are due: the background's part in keeping domains verified. */
import { takeDueDomain } from '../../db/domains/domains.ts'
import { lookUpDomain } from './look-up-domain.ts'
import type { Checking } from './look-up-domain.ts'

/** Who takes a domain up and dies leaves it to others after this long; a look at an unanswering DNS takes a good part of it. */
const leaseSeconds = 600

/** False: none is due. */
export async function lookUpDueDomain(ctx: Checking, workspaceId: number): Promise<boolean> {
  const name = await takeDueDomain(ctx.db, workspaceId, leaseSeconds)
  if (name === null) return false
  await lookUpDomain(ctx, workspaceId, name)
  return true
}
