/** Reads what narrows the suppression list: a reason, a part of the address, a time. */
import type { SuppressionReason } from '../../contract/suppression.ts'
import type { SuppressionFilter } from '../../db/suppression/suppression-pages.ts'
import type { CursorPosition } from '../input/cursor.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'

interface Query {
  reason?: SuppressionReason | undefined
  q?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** `to`: entries before then; null: up to now. Throws `validation_error`. */
export function readSuppressionFilter(query: Query): {
  filter: SuppressionFilter
  to: string | null
} {
  const q = query.q?.trim().toLowerCase() ?? ''
  const timeOf = (path: 'from' | 'to'): string | null =>
    query[path] === undefined ? null : rfc3339(readTime(query[path], path))
  return {
    filter: { reason: query.reason ?? null, q: q === '' ? null : q, from: timeOf('from') },
    to: timeOf('to'),
  }
}

/** The earlier of a place in the list and the end of a time. */
export function upTo(position: CursorPosition | null, to: string | null): CursorPosition | null {
  if (to === null || (position !== null && Date.parse(position.at) < Date.parse(to)))
    return position
  return { at: to, id: '00000000-0000-0000-0000-000000000000' }
}
