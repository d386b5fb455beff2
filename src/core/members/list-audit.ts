/** GET /audit: the workspace's audit log, newest first, by action, user and time. */
import type { InputOf } from '../../contract/operations.ts'
import {
  auditPage,
  endOfExaminedAudit,
  type AuditFilter,
  type AuditRow,
} from '../../db/audit/audit-entries.ts'
import { askedPage, byCreation, goingOnAt, pageOf } from '../input/cursor.ts'
import { readIdPeriod } from '../input/read-id-period.ts'
import type { Verb } from '../verb.ts'

/** Entries that one page examines, where not all of them match. */
const scannedRowsMax = 1_000

export const listAudit: Verb<'listAudit'> = async (ctx, { query }) => {
  const filter = readAuditFilter(query)
  const { from, to } = readIdPeriod(query)
  const binding = [ctx.workspaceId, 'audit', filter.act, filter.who, from, to]
  const requested = askedPage(query, binding)
  const isFiltered = filter.act !== null || filter.who !== null
  const range = {
    before: requested.before?.id ?? to,
    from,
    scannedMax: isFiltered ? scannedRowsMax : requested.max,
  }
  const rows = await auditPage(ctx.db, ctx.workspaceId, filter, { ...range, max: requested.max })
  const page = pageOf(rows, { ...requested, position: byCreation, show: presentAuditEntry })
  if (!isFiltered || rows.length === requested.max) return { body: page }
  const end = await endOfExaminedAudit(ctx.db, ctx.workspaceId, range)
  return { body: end === null ? page : goingOnAt(page, byCreation(end), requested.binding) }
}

export const readAuditFilter = ({
  act,
  who,
}: Pick<InputOf<'listAudit'>['query'], 'act' | 'who'>): AuditFilter => ({
  act: act ?? null,
  who: who ?? null,
})

export const presentAuditEntry = ({ createdAt, ...entry }: AuditRow) => ({
  ...entry,
  at: createdAt.toISOString(),
})
