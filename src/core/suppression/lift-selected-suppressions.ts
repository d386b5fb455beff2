/**
 * POST /suppression/lift-selected: a user removes selected entries, with one reason for the audit
 * log. API keys cannot.
 */
import { retrying } from '../../database/client/retrying.ts'
import { recordAuditEntries } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'
import { liftEntries } from './lift-entries.ts'
import { auditOfLift, readLiftReason } from './lift-suppression.ts'

export const liftSelectedSuppressions: Verb<'liftSelectedSuppressions'> = async (ctx, { body }) => {
  const why = readLiftReason(body.reason)
  const ids = [...new Set(body.ids)]
  const { addresses, stay } = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const done = await liftEntries(tx, ctx.workspaceId, ids)
      const entries = done.lifted.map((entry) => auditOfLift(entry, why))
      await recordAuditEntries(tx, ctx, entries)
      return done
    }),
  )
  return {
    body: {
      object: 'lifted_suppressions',
      lifted: addresses,
      absent: ids.length - addresses,
      suppressed_by_platform: stay,
    },
  }
}
