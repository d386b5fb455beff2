/** Removes a domain and its keys from a workspace, unless mail still leaves from it. */
import { deleteDomain, lockDomain, usesOfDomain, type DomainUses } from '../../db/domains/domains.ts'
import type { Context } from '../context.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'

/** `unknown`: the workspace has no such domain. */
export function dropDomain(
  ctx: Pick<Context, 'db'> & Omit<Actor, 'workspaceId'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<'removed' | 'unknown' | DomainUses> {
  return ctx.db.transaction(async (tx) => {
    if (!(await lockDomain(tx, workspaceId, name))) return 'unknown'
    const uses = await usesOfDomain(tx, workspaceId, name)
    if (uses.senders + uses.campaigns + uses.waiting > 0) return uses
    await deleteDomain(tx, workspaceId, name)
    await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'domain.removed', subject: name })
    return 'removed'
  })
}
