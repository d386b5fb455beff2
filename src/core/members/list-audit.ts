/** GET /audit: the workspace's audit log, newest first, by action and by user. */
import { auditPage, type AuditRow } from '../../db/audit/audit-entries.ts'
import { askedPage, byCreation, pageOf } from '../input/cursor.ts'
import type { Verb } from '../verb.ts'

export const listAudit: Verb<'listAudit'> = async (ctx, { query }) => {
  const { act = null, who = null } = query
  const { max, before, ...page } = askedPage(query, [ctx.workspaceId, 'audit', act, who])
  const rows = await auditPage(ctx.db, ctx.workspaceId, { max, before: before?.id ?? null, act, who })
  const show = ({ createdAt, ...entry }: AuditRow) => ({ ...entry, at: createdAt.toISOString() })
  return { body: pageOf(rows, { ...page, place: byCreation, show }) }
}
