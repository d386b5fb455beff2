/** GET /audit/export: the newest entries of the audit log that match, as CSV or JSON. */
import { auditFileMax } from '../../contract/workspace/audit.ts'
import { auditPage, type AuditFilter, type AuditRow } from '../../db/audit/audit-entries.ts'
import { csvLine } from '../../ground/csv/write-csv.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { readIdPeriod, type IdPeriod } from '../input/read-id-period.ts'
import type { Verb } from '../verb.ts'
import { presentAuditEntry, readAuditFilter } from './list-audit.ts'

export const exportAudit: Verb<'exportAudit'> = async (ctx, { query }) => {
  const [filter, period] = [readAuditFilter(query), readIdPeriod(query)]
  const format = query.format ?? 'csv'
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, {
      act: 'audit.exported',
      subject: '',
      details: {
        ...{ only: filter.act, searched: filter.who !== null, format },
        since: query.from ?? null,
        until: query.to ?? null,
      },
    }),
  )
  const entries = pagesOf(ctx, filter, period)
  return {
    body: {
      type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
      name: `audit-${ctx.clock.now().toISOString().slice(0, 10)}.${format}`,
      bytes: format === 'csv' ? asCsv(entries) : asJson(entries),
    },
  }
}

/** Entries per statement. */
const pageSize = 2_000

/**
 * Reads on connections for which the sending of mail never waits. What matches is compared here: a
 * page that few entries match would end before its position.
 */
async function* pagesOf(
  { segmentDb, workspaceId }: CallContext,
  { act, who }: AuditFilter,
  { from, to }: IdPeriod,
): AsyncGenerator<AuditRow[]> {
  const any = { act: null, who: null }
  let left = auditFileMax
  for (let before = to; left > 0;) {
    const range = { before, from, max: pageSize, scannedMax: pageSize }
    const page = await auditPage(segmentDb, workspaceId, any, range)
    const matching = page.filter(
      (entry) =>
        (act === null || entry.act === act) &&
        (who === null || entry.who.toLowerCase().includes(who.toLowerCase())),
    )
    yield matching.slice(0, left)
    left -= matching.length
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    before = last.id
  }
}

const columns = ['at', 'who', 'act', 'subject', 'details', 'ip', 'id'] as const

/** Begins with a byte order mark: without it, spreadsheets assume another encoding. */
async function* asCsv(pages: AsyncIterable<AuditRow[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`\ufeff${csvLine([...columns])}`)
  for await (const rows of pages) if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(''))
}

function lineOf(row: AuditRow): string {
  const entry = { ...presentAuditEntry(row), details: JSON.stringify(row.details) }
  return csvLine(columns.map((column) => entry[column] ?? ''))
}

async function* asJson(pages: AsyncIterable<AuditRow[]>): AsyncGenerator<Buffer> {
  let separator = '['
  for await (const rows of pages)
    for (const row of rows) {
      yield Buffer.from(`${separator}\n${JSON.stringify(presentAuditEntry(row))}`)
      separator = ','
    }
  yield Buffer.from(separator === '[' ? '[]\n' : '\n]\n')
}
