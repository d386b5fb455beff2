/**
 * Finds a page of captured mails: each by itself, or a campaign's as one entry, of a workspace or,
 * for the operator, of all.
 */
import {
  capturedEntries,
  foldedCaptured,
  lastSearched,
  type CapturedMailRow as Row,
  type CapturedRequest,
} from '../../db/captured/captured-entries.ts'
import type { CapturedFilter } from '../../db/captured/captured-matches.ts'
import {
  capturedMoment,
  type CapturedMoment,
  type CapturedPosition,
} from '../../db/captured/captured-moment.ts'
import { capturedPosition } from '../../db/captured/captured-mails.ts'
import type { Database } from '../../database/client/database.ts'
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import type { CallContext } from '../context.ts'
import { inEachDatabase } from '../each-workspace.ts'
import { fitting, type CursorPosition } from '../input/cursor.ts'
import { writeNextCursor, type CapturedPage } from './captured-cursor.ts'
import { hasSubject, needsSubject } from './captured-filter.ts'
import { presentBrowsed, presentCaptured } from './present-captured.ts'

export interface PageRequest {
  filter: CapturedFilter
  page: CapturedPage
  isFolded: boolean
}

/** Whose mails, and who reads them. */
export type CapturedReader = Pick<
  CallContext,
  'workspaceId' | 'operator' | 'user' | 'databases' | 'log'
> & {
  db: Database
}

/** The page, and the moment of the first page: it was there then, and is not found by `since`. */
export async function findCapturedPage(
  reader: CapturedReader & Pick<CallContext, 'db'>,
  request: PageRequest,
) {
  const { page } = request
  const { matching, further, moment } = await reader.db.transaction(async (tx) => {
    await readOneMoment(tx)
    return {
      ...(await matchingOf({ ...reader, db: tx }, request)),
      moment: page.moment ?? (await capturedMoment(tx, reader.workspaceId)),
    }
  })
  const isByKey = reader.user === null && reader.operator === undefined
  const shown = matching.slice(0, page.limit).map(isByKey ? presentCaptured : presentBrowsed)
  const data = shown.slice(0, fitting(shown))
  const last = data.length < matching.length ? placeOf(matching[data.length - 1], page) : further
  return {
    object: 'list' as const,
    data,
    has_more: last !== null,
    next_cursor:
      last === null
        ? ''
        : writeNextCursor(reader.workspaceId, { binding: page.binding, older: last, moment }),
    moment,
  }
}

/** A filter by subject examines so many mails for a page; the next page goes on. */
const examinedMax = 500

/** `further`: the place before which others may match. */
export async function matchingOf(
  reader: CapturedReader,
  { filter, page, isFolded }: PageRequest,
): Promise<{ matching: Row[]; further: CursorPosition | null }> {
  const max = needsSubject(filter) ? examinedMax : page.max
  const rows = await read(reader, { filter, page, isFolded }, max)
  const matching = rows.filter((row) => hasSubject(row, filter))
  if (rows.length === max) return { matching, further: placeOf(rows.at(-1), page) }
  return { matching, further: isFolded ? await beyond(reader, page) : null }
}

function placeOf(row: Row | undefined, { before }: CapturedPage): CursorPosition | null {
  if (row === undefined) return null
  return { at: row.at, id: row.id, ...(before?.part !== undefined && { part: before.part }) }
}

/** A folded list reads the newest mails; the page behind them begins where they end. */
async function beyond(reader: CapturedReader, page: CapturedPage): Promise<CursorPosition | null> {
  if (reader.workspaceId === 0) return null
  const last = await lastSearched(reader.db, reader.workspaceId, await foldedFrom(reader, page))
  return last && { ...last, part: last.id }
}

/** `part` of a folded list's cursor: the mail below which it reads. */
const foldedFrom = async (
  { db, workspaceId }: CapturedReader,
  { before }: CapturedPage,
): Promise<CapturedPosition | null> =>
  before?.part === undefined ? null : capturedPosition(db, workspaceId, before.part)

async function read(
  reader: CapturedReader,
  { filter, page, isFolded }: PageRequest,
  max: number,
): Promise<Row[]> {
  const request = { max, before: page.before, filter, isOperator: reader.operator !== undefined }
  if (reader.workspaceId === 0) return readAll(reader, request, isFolded)
  const ofOne = { ...request, workspaceId: reader.workspaceId }
  return isFolded
    ? foldedCaptured(reader.db, { ...ofOne, from: await foldedFrom(reader, page) })
    : capturedEntries(reader.db, ofOne)
}

/** The newest of all workspaces: those of each database. One that is away shows none. */
async function readAll(
  { db, databases, log }: CapturedReader,
  request: Omit<CapturedRequest, 'workspaceId'>,
  isFolded: boolean,
): Promise<Row[]> {
  const ofAll = { ...request, workspaceId: null }
  const readOne = (each: Database): Promise<Row[]> =>
    isFolded ? foldedCaptured(each, { ...ofAll, from: null }) : capturedEntries(each, ofAll)
  if (!databases.hasSeveral) return readOne(db)
  const result = await inEachDatabase(
    databases,
    (each) => readOne(each.db),
    (error) => log.error({ err: error }, 'Captured mails of a database could not be read'),
  )
  const position = ({ at, id }: Row): string => `${at} ${id}`
  return result
    .flat()
    .toSorted((row, other) => (position(row) > position(other) ? -1 : 1))
    .slice(0, request.max)
}

export type FoundPage = Omit<Awaited<ReturnType<typeof findCapturedPage>>, 'moment'> & {
  moment: CapturedMoment
}
