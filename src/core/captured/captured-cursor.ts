/**
 * Writes and reads the two cursors of captured mails: `next_cursor` leads to older ones, and
 * `cursor` stands for the moment of the answer, so that `since` finds what was not there then. The
 * former holds the latter.
 */
import type { CapturedQuery } from '../../contract/captured.ts'
import type { CapturedBrowse } from '../../contract/workspace/captured.ts'
import type { CapturedMoment } from '../../db/captured/captured-moment.ts'
import { askedPage, positionIn, writeCursor, type CursorPosition } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'

/** The page that a query asks for. */
export interface CapturedPage {
  limit: number
  max: number
  binding: unknown
  before: CursorPosition | null
  /** When the first page was answered. Null if this is it. */
  moment: CapturedMoment | null
}

/** Throws `validation_error` for a cursor of another list. */
export function askedCapturedPage(
  workspaceId: number,
  query: CapturedQuery & Partial<CapturedBrowse>,
): CapturedPage {
  const { limit, cursor = '', to, subject, since, search, kind, campaign, fold } = query
  const filter = [to, subject, since, search, kind, campaign, fold].map((value) => value ?? '')
  const binding = [workspaceId, 'captured', ...filter]
  const page = { ...askedPage({ limit }, binding), moment: null }
  if (cursor === '') return page
  const [older = ''] = partsOf(cursor)
  const before = positionIn(older, binding)
  const moment = readAnswerCursor(workspaceId, cursor)
  if (before === null || moment === null) throw shapeError([{ path: 'cursor', rule: 'cursor' }])
  return { ...page, before, moment }
}

export const writeAnswerCursor = (workspaceId: number, moment: CapturedMoment): string =>
  join(answerParts(workspaceId, moment))

export const writeNextCursor = (
  workspaceId: number,
  { binding, older, moment }: { binding: unknown; older: CursorPosition; moment: CapturedMoment },
): string => join([writeCursor(older, binding), ...answerParts(workspaceId, moment)])

/** Also of a `next_cursor`. Null if it is none of this workspace. */
export function readAnswerCursor(workspaceId: number, cursor: string): CapturedMoment | null {
  const [position = '', observed = ''] = partsOf(cursor).slice(-2)
  const from = positionIn(position, answerBinding(workspaceId, observed))
  return from && { from, known: unpack(observed) }
}

function answerParts(
  workspaceId: number,
  { from, known: observed }: CapturedMoment,
): [string, string] {
  const packed = Buffer.from(observed.join(''), 'hex').toString('base64url')
  return [writeCursor(from, answerBinding(workspaceId, packed)), packed]
}

const answerBinding = (workspaceId: number, packed: string): unknown => [
  workspaceId,
  'captured since',
  packed,
]

const unpack = (packed: string): string[] =>
  Buffer.from(packed, 'base64url').toString('hex').match(/.{12}/g) ?? []

const join = (parts: string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The texts that a cursor joins, the last two of which stand for the answer; none: it is none. */
function partsOf(cursor: string): string[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(read) && read.every((part) => typeof part === 'string') ? read : []
  } catch {
    return []
  }
}
