/** DELETE /captured: deletes the captured mails to an address or with a subject, never all of them. */
import { limits } from '../../contract/limits.ts'
import { retrying } from '../../database/client/retrying.ts'
import {
  capturedEntries,
  deleteCapturedBytes,
  type CapturedFilter,
} from '../../db/captured/captured-mails.ts'
import type { CapturedPosition } from '../../db/captured/captured-moment.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { hasSubject, readCapturedFilter } from './captured-filter.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

/** Mails of one query. */
const atOnce = 500

export const deleteCapturedMails: Verb<'deleteCapturedMails'> = async (ctx, { query }) => {
  const { db, workspaceId } = ctx
  refuseUnlessCapturing(ctx)
  const filter = await readCapturedFilter(ctx, query)
  // `since` alone may mean all of them.
  if (filter.to === null && filter.subject === null)
    throw shapeError([{ path: 'to', rule: 'captured_filter' }])
  const { ids, more } = await findMatching(ctx, filter)
  const deleted =
    ids.length === 0
      ? 0
      : await retrying(() =>
          db.transaction(async (tx) => {
            const count = await deleteCapturedBytes(tx, workspaceId, ids)
            const subject = describe(filter)
            await recordAuditEntry(tx, ctx, {
              act: 'captured.deleted',
              subject,
              details: { count },
            })
            return count
          }),
        )
  return { body: { object: 'captured_mail', deleted, has_more: more } }
}

/** What one call deletes; `more`: others may match. */
async function findMatching(
  { db, workspaceId, left }: Pick<CallContext, 'db' | 'workspaceId' | 'left'>,
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
    const rows = await capturedEntries(db, { workspaceId, max, before, filter })
    ids.push(...rows.filter((row) => hasSubject(row, filter)).map(({ id }) => id))
    if (rows.length < max) return { ids, more: false }
    before = rows.at(-1) ?? null
  }
  // Another call reads on only where this one deletes.
  return { ids, more: ids.length > 0 }
}

/** The filter as the audit log shows it; an erasure finds the address in it. */
const describe = ({ to, subject }: CapturedFilter): string =>
  [to !== null && `to=${to}`, subject !== null && `subject=${subject}`].filter(Boolean).join(' ')
