/** Takes a domain away from a workspace, with its keys: not while anything still leaves from it. */
import { deleteDomain, lockDomain, usesOfDomain } from '../../db/domains.ts'
import type { DomainUses } from '../../db/domains.ts'
import type { Context } from '../context.ts'

/** `unknown`: the workspace has no such domain. */
export function removeDomain(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  name: string,
): Promise<'removed' | 'unknown' | DomainUses> {
  return db.transaction(async (tx) => {
    if (!(await lockDomain(tx, workspaceId, name))) return 'unknown'
    const uses = await usesOfDomain(tx, workspaceId, name)
    if (uses.senders + uses.campaigns + uses.waiting > 0) return uses
    await deleteDomain(tx, workspaceId, name)
    return 'removed'
  })
}
