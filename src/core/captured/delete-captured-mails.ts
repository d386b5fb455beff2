/**
 * DELETE /captured: deletes the captured mails to an address or with a subject, never all of them
 * for a program. On the pages, those of a kind, of a campaign or of a search, or one.
 */
import { limits } from '../../contract/limits.ts'
import { retrying } from '../../database/client/retrying.ts'
import { capturedEntries, capturedEntry } from '../../db/captured/captured-entries.ts'
import type { CapturedFilter } from '../../db/captured/captured-matches.ts'
import { deleteCapturedBytes } from '../../db/captured/captured-mails.ts'
import type { CapturedPosition } from '../../db/captured/captured-moment.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { hasSubject, isSearch, readCapturedFilter } from './captured-filter.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

/** Mails of one query. */
const atOnce = 500

export const deleteCapturedMails: Verb<'deleteCapturedMails'> = async (ctx, { query }) => {
  refuseUnlessCapturing(ctx)
  const filter = await readCapturedFilter(ctx, query)
  const { id, kind, campaign } = query
  // `since` alone may mean all of them.
  if (!isSearch(filter) && (id ?? kind ?? campaign) === undefined)
    throw shapeError([{ path: 'to', rule: 'captured_filter' }])
  const { ids, more } = id === undefined ? await findMatching(ctx, filter) : await findById(ctx, id)
  const subject = id === undefined ? describe(filter, query.search) : `id=${id}`
  const deleted = ids.length === 0 ? 0 : await deleteMails(ctx, { ids, subject })
  return { body: { object: 'captured_mail', deleted, has_more: more } }
}

const deleteMails = (
  ctx: CallContext,
  { ids, subject }: { ids: string[]; subject: string },
): Promise<number> =>
  retrying(() =>
    ctx.db.transaction(async (tx) => {
      const count = await deleteCapturedBytes(tx, ctx.workspaceId, ids)
      await recordAuditEntry(tx, ofOperator(ctx), {
        act: 'captured.deleted',
        subject,
        details: { count },
      })
      return count
    }),
  )

/** The operator has no key, and the audit log shows them as at the command line. */
function ofOperator(ctx: CallContext): Parameters<typeof recordAuditEntry>[1] {
  if (!ctx.operator) return ctx
  const { apiKey: _none, ...actor } = ctx
  return actor
}

/** None where it is not there, or not the caller's to see. */
async function findById(
  { db, workspaceId, operator }: CallContext,
  id: string,
): Promise<{ ids: string[]; more: boolean }> {
  const entry = await capturedEntry(db, { workspaceId, id, isOperator: operator !== undefined })
  return { ids: entry ? [id] : [], more: false }
}

/** What one call deletes; `more`: others may match. */
async function findMatching(
  { db, workspaceId, left, operator }: CallContext,
  filter: CapturedFilter,
): Promise<{ ids: string[]; more: boolean }> {
  const ids: string[] = []
  const gone = left?.()
  let before: CapturedPosition | null = null
  for (let read = 0; read < limits.capturedSearchedMax; read += atOnce) {
    // Nobody would learn what was deleted.
    if (gone?.aborted) return { ids: [], more: true }
    const max = Math.min(atOnce, limits.capturedDeletedMax - ids.length)
    if (max === 0) return { ids, more: true }
    const request = { workspaceId, max, before, filter, isOperator: operator !== undefined }
    const rows = await capturedEntries(db, request)
    ids.push(...rows.filter((row) => hasSubject(row, filter)).map(({ id }) => id))
    if (rows.length < max) return { ids, more: false }
    before = rows.at(-1) ?? null
  }
  // Another call reads on only where this one deletes.
  return { ids, more: ids.length > 0 }
}

/** The filter as the audit log shows it; an erasure finds the address in it. */
const describe = (
  { to, search, kind, campaign }: CapturedFilter,
  typed: string | undefined,
): string =>
  [
    to !== null && `to=${to}`,
    typed === undefined && search.subject.length > 0 && `subject=${search.subject.join(' ')}`,
    typed !== undefined && typed.trim() !== '' && `search=${typed.trim().toLowerCase()}`,
    kind !== 'all' && `kind=${kind}`,
    campaign !== null && `campaign=${campaign}`,
  ]
    .filter(Boolean)
    .join(' ') || 'all'
