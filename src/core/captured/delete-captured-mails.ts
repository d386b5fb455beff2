/** DELETE /captured: deletes the captured mails to an address or with a subject, never all of them. */
import { shapeError } from '../input/shape-error.ts'
import {
  capturedEntries,
  deleteCapturedBytes,
  type CapturedPosition,
} from '../../db/captured/captured-mails.ts'
import { hasSubject, readCapturedFilter } from './captured-filter.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

/** Mails of one statement. */
const atOnce = 500

export const deleteCapturedMails: Verb<'deleteCapturedMails'> = async (ctx, { query }) => {
  const { db, workspaceId } = ctx
  refuseUnlessCapturing(ctx)
  const filter = await readCapturedFilter(ctx, query)
  // `since` alone may mean all of them.
  if (filter.to === null && filter.subject === null)
    throw shapeError([{ path: 'to', rule: 'captured_filter' }])
  let deleted = 0
  for (let before: CapturedPosition | null = null, more = true; more;) {
    const rows = await capturedEntries(db, { workspaceId, max: atOnce, before, filter })
    const ids = rows.filter((row) => hasSubject(row, filter)).map(({ id }) => id)
    deleted += await deleteCapturedBytes(db, workspaceId, ids)
    before = rows.at(-1) ?? null
    more = rows.length === atOnce
  }
  return { body: { object: 'captured_mail', deleted } }
}
