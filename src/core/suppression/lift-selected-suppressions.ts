/**
 * POST /suppression/lift-selected: a user removes selected entries, with one reason for the audit
 * log. API keys cannot.
 */
import { ApiError } from '../../contract/errors.ts'
import { reasonsLiftedTogether } from '../../contract/workspace/suppression-table.ts'
import type { Database } from '../../database/client/database.ts'
import { retrying } from '../../database/client/retrying.ts'
import {
  deleteSuppressionsOf,
  lockSelectedSuppressions,
} from '../../db/suppression/suppression-pages.ts'
import { suppressionsOf, type SuppressionRow } from '../../db/suppression/suppressions.ts'
import { recordAuditEntries } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import type { Verb } from '../verb.ts'
import { auditOfLift, readLiftReason } from './lift-suppression.ts'

/** Throws `conflict` with the addresses that are removed one at a time; then all entries stay. */
export const liftSelectedSuppressions: Verb<'liftSelectedSuppressions'> = async (ctx, { body }) => {
  const why = readLiftReason(body.reason)
  const ids = [...new Set(body.ids)]
  const entries = await retrying(() =>
    ctx.db.transaction((tx) => liftEntries(tx, ctx, { ids, why })),
  )
  const lifted = new Set(entries.filter(isOfWorkspace).map(({ email }) => email)).size
  return {
    body: {
      object: 'lifted_suppressions',
      lifted,
      absent: ids.length - lifted,
      suppressed_by_platform: entries.filter((entry) => !isOfWorkspace(entry)).length,
    },
  }
}

const isOfWorkspace = ({ scope }: SuppressionRow): boolean => scope === 'organization'

/** The removed entries, and those of the platform that stay. */
async function liftEntries(
  tx: Database,
  ctx: CallContext,
  { ids, why }: { ids: string[]; why: string },
): Promise<SuppressionRow[]> {
  const emails = await lockSelectedSuppressions(tx, ctx.workspaceId, ids)
  const entries = await suppressionsOf(tx, ctx.workspaceId, emails)
  const lifted = entries.filter(isOfWorkspace)
  refuseOwnWill(lifted)
  await deleteSuppressionsOf(tx, ctx.workspaceId, emails)
  await recordAuditEntries(
    tx,
    ctx,
    lifted.map((entry) => auditOfLift(entry, why)),
  )
  return entries
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
