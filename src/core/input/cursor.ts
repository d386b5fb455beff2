/**
 * Writes and reads list cursors: opaque to the caller, and bound to the workspace and the filter
 * (semantics 4: Lists).
 */
import { createHash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { isId } from '../../ground/ids.ts'
import { shapeError } from './shape-error.ts'
import { instantMs } from './instant.ts'

/** The position of an entry: its time (as the database writes it) and its id. */
export interface CursorPosition {
  at: string
  id: string
  /** Distinguishes entries with the same time and id; also an identifier. */
  part?: string
}

/** `binding` identifies the list: workspace, operation, filter. */
export function writeCursor(position: CursorPosition, binding: unknown): string {
  return Buffer.from(
    JSON.stringify([position.at, position.id, digestOf(position, binding), position.part]),
  ).toString('base64url')
}

/**
 * Throws `validation_error` for a cursor of another list, or one that was altered. The digest
 * prevents mistakes and is no secret: a forged cursor only chooses where to begin in a list that
 * the caller may read. The statement filters by the caller's workspace and filter, never by the
 * cursor's. Each part is validated like any input.
 */
export function readCursor(cursor: string | undefined, binding: unknown): CursorPosition | null {
  if (cursor === undefined || cursor === '') return null
  const position = positionIn(cursor, binding)
  if (position === null) throw shapeError([{ path: 'cursor', rule: 'cursor' }])
  return position
}

/** The position in a cursor of this list. Null if it is none. */
export function positionIn(cursor: string, binding: unknown): CursorPosition | null {
  const position = readPosition(parse(cursor))
  return position !== null && writeCursor(position, binding) === cursor ? position : null
}

function readPosition([at, id, , part]: unknown[]): CursorPosition | null {
  if (typeof at !== 'string' || typeof id !== 'string' || !isId(id) || !isPositionTime(at))
    return null
  if (part === undefined || part === null) return { at, id }
  return typeof part === 'string' && isId(part) ? { at, id, part } : null
}

/** PostgreSQL writes whole hours of offset without minutes, and knows none beyond 15. */
const isPositionTime = (at: string): boolean =>
  /(?:Z|[+-](?:0\d|1[0-5])(?::\d{2})?)$/.test(at) &&
  instantMs(at.replace(/[+-]\d{2}$/, '$&:00')) !== null

function parse(cursor: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

const digestOf = ({ at, id, part }: CursorPosition, binding: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([at, id, part, binding]))
    .digest('base64url')
    .slice(0, 12)

/**
 * Returns how many of these entries fit a page: those before the one that would exceed its bytes.
 * It is at least one, so that every list can be read to its end.
 */
export function fitting(entries: readonly unknown[]): number {
  let bytes = 0
  for (const [index, entry] of entries.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    if (bytes > limits.pageBytesMax && index > 0) return index
  }
  return entries.length
}

/**
 * The page that a list's query requests; throws `validation_error` for a cursor of another list.
 * `max`: one row more than the answer holds, to know whether more exist.
 */
export function askedPage(
  {
    limit = limits.pageDefault,
    cursor,
  }: { limit?: number | undefined; cursor?: string | undefined },
  binding: unknown,
) {
  return { limit, max: limit + 1, before: readCursor(cursor, binding), binding }
}

/** The place of an entry in a list by time of creation. */
export const byCreation = ({ createdAt, id }: { createdAt: Date; id: string }): CursorPosition => ({
  at: createdAt.toISOString(),
  id,
})

/**
 * Builds a page of the list envelope from one row more than requested, or from fewer when the
 * statement cut them at the byte limit: `uncutCount`.
 */
export function pageOf<Row, Shown>(
  rows: Row[],
  page: {
    limit: number
    binding: unknown
    position: (row: Row) => CursorPosition
    show: (row: Row) => Shown
    uncutCount?: number | undefined
  },
): { object: 'list'; data: Shown[]; has_more: boolean; next_cursor: string } {
  const shown = rows.slice(0, page.limit).map(page.show)
  const data = shown.slice(0, fitting(shown))
  const last = rows[data.length - 1]
  const more = Math.max(rows.length, page.uncutCount ?? 0) > data.length
  return {
    object: 'list',
    data,
    has_more: more,
    next_cursor: more && last ? writeCursor(page.position(last), page.binding) : '',
  }
}

/**
 * The page of a list that examined entries up to `position` without finding enough: the next one
 * begins there.
 */
export const goingOnAt = <Page extends object>(
  page: Page,
  position: CursorPosition,
  binding: unknown,
) => ({
  ...page,
  has_more: true,
  next_cursor: writeCursor(position, binding),
})

/** Identifiers grow with time, so one is a place in the list by itself. */
export function readAfter(after: string | undefined): string | null {
  if (after === undefined) return null
  if (!isId(after)) throw shapeError([{ path: 'after', rule: 'known_id' }])
  return after
}
