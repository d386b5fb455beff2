/** DELETE /domains/{name}: removes a domain, unless mail still leaves from it. */
import { ApiError } from '../../contract/errors.ts'
import {
  deleteDomain,
  lockDomain,
  usesOfDomain,
  type DomainUses,
} from '../../db/domains/domains.ts'
import { keepVerifyingKeys } from '../../db/domains/verifying-keys.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import type { Context } from '../context.ts'
import { domainOfPath } from './read-domain-name.ts'
import type { Verb } from '../verb.ts'

export const removeDomain: Verb<'removeDomain'> = async (ctx, { params }) => {
  const name = domainOfPath(params.name)
  const dropped = await dropDomain(ctx, { workspaceId: ctx.workspaceId, name })
  if (dropped === 'unknown') throw new ApiError('not_found')
  if (dropped !== 'removed') throw new ApiError('conflict', { ...dropped })
  return { body: { object: 'domain', name, removed: true } }
}

/** `unknown`: the workspace has no such domain. */
export function dropDomain(
  ctx: Pick<Context, 'db'> & Omit<Actor, 'workspaceId'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<'removed' | 'unknown' | DomainUses> {
  return ctx.db.transaction(async (tx) => {
    if (!(await lockDomain(tx, workspaceId, name))) return 'unknown'
    const uses = await usesOfDomain(tx, workspaceId, name)
    if (uses.senders + uses.campaigns + uses.waiting > 0) return uses
    // Its mail may still be complained of.
    await keepVerifyingKeys(tx, workspaceId, name)
    await deleteDomain(tx, workspaceId, name)
    await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'domain.removed', subject: name })
    return 'removed'
  })
}
