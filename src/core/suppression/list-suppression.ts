/** GET /suppression: the suppression list, newest first, or the entries of one address. */
import { parseMailbox } from '../../ground/address.ts'
import { isId } from '../../ground/ids.ts'
import {
  endOfExaminedSuppression,
  suppressionPage,
} from '../../db/suppression/suppression-pages.ts'
import {
  suppressionById,
  suppressionsOf,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { CallContext } from '../context.ts'
import { askedPage, byCreation, goingOnAt, pageOf, type CursorPosition } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'
import { presentSuppression } from '../presentation/present-suppression.ts'
import { readSuppressionFilter, upTo } from './read-suppression-filter.ts'
import type { Verb } from '../verb.ts'

/** Entries that one page examines, where not all of them match. */
const scannedRowsMax = 5_000

export const listSuppression: Verb<'listSuppression'> = async (ctx, { query }) => {
  const { db, workspaceId } = ctx
  const address = query.email === undefined ? null : readAddressKey(query.email, 'email')
  const { filter, to } = readSuppressionFilter(query)
  const binding = [workspaceId, 'suppression', address, ...Object.values({ ...filter, to })]
  const page = askedPage(query, binding)
  // One address has at most two entries, so there is no next page.
  if (address) return { body: wholeOf(await suppressionsOf(db, workspaceId, [address])) }
  if (query.id !== undefined) return { body: wholeOf(await entriesById(ctx, query.id)) }
  const before = upTo(page.before ?? (await placeOf(ctx, query.after)), to)
  const range = { filter, before, scannedMax: filter.q === null ? page.max : scannedRowsMax }
  const rows = await suppressionPage(db, workspaceId, { ...range, max: page.max })
  const body = pageOf(rows, { ...page, position: byCreation, show: presentSuppression })
  if (filter.q === null || rows.length === page.max) return { body }
  const last = await endOfExaminedSuppression(db, workspaceId, range)
  return { body: last === null ? body : goingOnAt(body, byCreation(last), page.binding) }
}

const wholeOf = (rows: SuppressionRow[]) => ({
  object: 'list' as const,
  data: rows.map(presentSuppression),
  has_more: false,
  next_cursor: '',
})

type Caller = Pick<CallContext, 'db' | 'workspaceId'>

async function entriesById({ db, workspaceId }: Caller, id: string): Promise<SuppressionRow[]> {
  const row = isId(id) ? await suppressionById(db, workspaceId, id) : null
  return row ? [row] : []
}

/** Throws `validation_error` for an identifier that is no entry's. */
async function placeOf(ctx: Caller, after: string | undefined): Promise<CursorPosition | null> {
  if (after === undefined) return null
  const [row] = await entriesById(ctx, after)
  if (!row) throw shapeError([{ path: 'after', rule: 'known_id' }])
  return byCreation(row)
}

/**
 * Parses one address to the form that the list stores; throws `validation_error` for anything else.
 */
export function readAddressKey(text: string, path: string): string {
  const read = parseMailbox(text)
  if ('rule' in read) throw shapeError([{ ...read, path, rule: `address.${read.rule}` }])
  if (read.name !== null) throw shapeError([{ path, rule: 'address.name' }])
  return read.key
}
