/** GET /audit: the workspace's audit log, newest first, by action and by user. */
import { auditPage, endOfExaminedAudit, type AuditRow } from '../../db/audit/audit-entries.ts'
import { askedPage, byCreation, goingOnAt, pageOf } from '../input/cursor.ts'
import type { Verb } from '../verb.ts'

/** Entries that one page examines, where not all of them match. */
const scannedRowsMax = 1_000

export const listAudit: Verb<'listAudit'> = async (ctx, { query }) => {
  const filter = { act: query.act ?? null, who: query.who ?? null }
  const requested = askedPage(query, [ctx.workspaceId, 'audit', filter.act, filter.who])
  const isFiltered = filter.act !== null || filter.who !== null
  const range = {
    before: requested.before?.id ?? null,
    scannedMax: isFiltered ? scannedRowsMax : requested.max,
  }
  const rows = await auditPage(ctx.db, ctx.workspaceId, filter, { ...range, max: requested.max })
  const page = pageOf(rows, { ...requested, position: byCreation, show })
  if (!isFiltered || rows.length === requested.max) return { body: page }
  const end = await endOfExaminedAudit(ctx.db, ctx.workspaceId, range)
  return { body: end === null ? page : goingOnAt(page, byCreation(end), requested.binding) }
}

const show = ({ createdAt, ...entry }: AuditRow) => ({ ...entry, at: createdAt.toISOString() })
