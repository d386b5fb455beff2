/**
 * Writes and reads the two cursors of captured mails: `next_cursor` leads to older ones, and
 * `cursor` stands for the answer, so that `since` finds what came behind it. The former holds the
 * latter.
 */
import type { CapturedQuery } from '../../contract/captured.ts'
import type { CapturedPosition } from '../../db/captured/captured-mails.ts'
import { askedPage, placeIn, writeCursor } from '../input/cursor.ts'
import { shapeError } from '../input/shape-error.ts'

/** The page that a query asks for. */
export interface CapturedPage {
  limit: number
  max: number
  binding: unknown
  before: CapturedPosition | null
  /** What was newest when the first page was answered; null: this is it. */
  newest: CapturedPosition | null
}

/** Throws `validation_error` for a cursor of another list. */
export function askedCapturedPage(
  workspaceId: number,
  { limit, cursor = '', to, subject, since }: CapturedQuery,
): CapturedPage {
  const binding = [workspaceId, 'captured', to ?? '', subject ?? '', since ?? '']
  const page = { ...askedPage({ limit }, binding), newest: null }
  if (cursor === '') return page
  const [older, answer] = partsOf(cursor)
  const before = placeIn(older, binding)
  const newest = readAnswerCursor(workspaceId, answer)
  if (before === null || newest === null) throw shapeError([{ path: 'cursor', rule: 'cursor' }])
  return { ...page, before, newest }
}

export const writeAnswerCursor = (workspaceId: number, newest: CapturedPosition): string =>
  writeCursor(newest, [workspaceId, 'captured since'])

export const writeNextCursor = (
  workspaceId: number,
  {
    binding,
    older,
    newest,
  }: { binding: unknown; older: CapturedPosition; newest: CapturedPosition },
): string =>
  Buffer.from(
    JSON.stringify([writeCursor(older, binding), writeAnswerCursor(workspaceId, newest)]),
  ).toString('base64url')

/** Also of a `next_cursor`; null: it is none of this workspace. */
export function readAnswerCursor(workspaceId: number, cursor: string): CapturedPosition | null {
  const [, answer] = partsOf(cursor)
  return placeIn(answer === '' ? cursor : answer, [workspaceId, 'captured since'])
}

/** The two cursors within a `next_cursor`; empty where it is none. */
function partsOf(cursor: string): [older: string, answer: string] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [older, answer] = Array.isArray(read) && read.length === 2 ? (read as unknown[]) : []
    return typeof older === 'string' && typeof answer === 'string' ? [older, answer] : ['', '']
  } catch {
    return ['', '']
  }
}
