/** GET /audit/count: how many entries of the audit log match, among the newest of them. */
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { countAuditEntries } from '../../db/audit/audit-entries.ts'
import { readIdPeriod } from '../input/read-id-period.ts'
import type { Verb } from '../verb.ts'
import { readAuditFilter } from './list-audit.ts'

/** Reads on connections of counts, for which the sending of mail never waits. */
export const countAudit: Verb<'countAudit'> = async (ctx, { query }) => {
  const { from, to: before } = readIdPeriod(query)
  const range = { before, from, scannedMax: countedEntriesMax + 1 }
  const filter = readAuditFilter(query)
  const counted = await countAuditEntries(ctx.segmentDb, ctx.workspaceId, filter, range)
  return { body: { object: 'audit_count', ...boundedCount(counted) } }
}
