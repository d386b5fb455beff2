/** Removes many entries of a workspace's suppression list in one transaction: all or none. */
import { ApiError } from '../../contract/errors.ts'
import { reasonsLiftedTogether } from '../../contract/workspace/suppression-table.ts'
import type { Database } from '../../database/client/database.ts'
import {
  deleteSuppressionsOf,
  lockSelectedSuppressions,
} from '../../db/suppression/suppression-pages.ts'
import { suppressionsOf, type SuppressionRow } from '../../db/suppression/suppressions.ts'
import { recordAuditEntries } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { auditOfLift } from './lift-suppression.ts'

export interface LiftedEntries {
  /** Addresses that were removed. */
  addresses: number
  /** Those of them that the list of the platform still suppresses. */
  stay: number
}

/**
 * Each is in the audit log by itself. Throws `conflict` with the addresses that are removed one at a
 * time; then all entries stay.
 */
export async function liftEntries(
  tx: Database,
  ctx: CallContext,
  { ids, why }: { ids: string[]; why: string },
): Promise<LiftedEntries> {
  const { workspaceId } = ctx
  const emails = await lockSelectedSuppressions(tx, workspaceId, ids)
  const entries = await suppressionsOf(tx, workspaceId, emails)
  const lifted = entries.filter(({ scope }) => scope === 'organization')
  refuseOwnWill(lifted)
  await deleteSuppressionsOf(tx, workspaceId, emails)
  const audited = lifted.map((entry) => auditOfLift(entry, why))
  await recordAuditEntries(tx, ctx, audited)
  return { addresses: emails.length, stay: entries.length - lifted.length }
}

/** Addresses that a refusal names. */
const namedMax = 10

function refuseOwnWill(entries: SuppressionRow[]): void {
  const refused = entries.filter(({ reason }) => !reasonsLiftedTogether.includes(reason))
  if (refused.length === 0) return
  const addresses = refused.slice(0, namedMax).map(({ email }) => email)
  throw new ApiError('conflict', {
    reason: 'not_lifted_together',
    addresses: addresses.join(', '),
    count: refused.length,
  })
}
