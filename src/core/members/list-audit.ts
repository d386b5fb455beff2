/** GET /audit: the workspace's audit log, newest first, by action and by user. */
import { limits } from '../../contract/limits.ts'
import { auditPage } from '../../db/audit/audit-entries.ts'
import type { AuditRow } from '../../db/audit/audit-entries.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import type { Verb } from '../verb.ts'

export const listAudit: Verb<'listAudit'> = async (ctx, { query }) => {
  const limit = query.limit ?? limits.pageDefault
  const { act = null, who = null } = query
  const binding = [ctx.workspaceId, 'audit', act, who]
  const before = readCursor(query.cursor, binding)?.id ?? null
  const rows = await auditPage(ctx.db, ctx.workspaceId, { most: limit + 1, before, act, who })
  const place = ({ id, createdAt }: AuditRow) => ({ id, at: createdAt.toISOString() })
  const show = ({ createdAt, ...entry }: AuditRow) => ({ ...entry, at: createdAt.toISOString() })
  return { body: pageOf(rows, { limit, binding, place, show }) }
}
