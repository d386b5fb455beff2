/** GET /suppression/export: the entries that match, as CSV that imports read. */
import { csvLine } from '../../ground/csv/write-csv.ts'
import { suppressionPage } from '../../db/suppression/suppression-pages.ts'
import type { SuppressionRow } from '../../db/suppression/suppressions.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { byCreation } from '../input/cursor.ts'
import type { Verb } from '../verb.ts'
import { readSuppressionFilter, upTo } from './read-suppression-filter.ts'

type Filter = ReturnType<typeof readSuppressionFilter>

export const exportSuppression: Verb<'exportSuppression'> = async (ctx, { query }) => {
  const filter = readSuppressionFilter(query)
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, {
      act: 'suppression.exported',
      // The text may be an address, which an erasure could not find here.
      subject: '',
      details: {
        ...{ only: query.reason ?? null, searched: filter.filter.q !== null },
        ...{ since: filter.filter.from, until: filter.to },
      },
    }),
  )
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: `suppression-${ctx.clock.now().toISOString().slice(0, 10)}.csv`,
      bytes: lines(ctx, filter),
    },
  }
}

/** Entries per statement. */
const pageSize = 2_000

/**
 * Reads on connections for which the sending of mail never waits. Begins with a byte order mark:
 * without it, spreadsheets assume another encoding.
 */
async function* lines(ctx: CallContext, { filter, to }: Filter): AsyncGenerator<Buffer> {
  yield Buffer.from(`\ufeff${csvLine(['email', 'reason', 'created_at', 'source_id'])}`)
  // The text is compared here: a page that few entries match would end before its place.
  const unsearched = { ...filter, q: null }
  for (let before = upTo(null, to); ;) {
    const range = { filter: unsearched, before, max: pageSize }
    const page = await suppressionPage(ctx.segmentDb, ctx.workspaceId, range)
    const rows = page.filter(({ email }) => email !== erased && email.includes(filter.q ?? ''))
    if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(''))
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    before = byCreation(last)
  }
}

const erased = 'erased@invalid'

const lineOf = ({ email, reason, createdAt, sourceId }: SuppressionRow): string =>
  csvLine([email, reason, createdAt.toISOString(), sourceId ?? ''])
