/**
 * Reads which captured mails a call is about: those to an address, with a subject, of a kind, and
 * later ones.
 */
import type { CapturedKind } from '../../contract/captured.ts'
import type { CapturedMailRow } from '../../db/captured/captured-entries.ts'
import { anyCaptured, isAny, type CapturedFilter } from '../../db/captured/captured-matches.ts'
import { capturedPosition } from '../../db/captured/captured-mails.ts'
import type { CapturedMoment } from '../../db/captured/captured-moment.ts'
import { parseMailbox } from '../../ground/address.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import { readAnswerCursor } from './captured-cursor.ts'
import { readCapturedSearch } from './captured-search.ts'

interface About {
  to?: string
  subject?: string
  since?: string
  search?: string
  kind?: CapturedKind
  campaign?: string
}

/** An empty text counts as absent. Throws `validation_error`. */
export async function readCapturedFilter(
  ctx: Pick<CallContext, 'db' | 'workspaceId'>,
  { to, subject = '', since = '', search = '', kind = 'all', campaign }: About,
): Promise<CapturedFilter> {
  const typed = readCapturedSearch(search)
  const part = subject.trim().toLowerCase()
  return {
    ...anyCaptured,
    to: to === undefined ? null : readAddress(to),
    search: part === '' ? typed : { ...typed, subject: [...typed.subject, part] },
    kind,
    campaign: campaign ?? null,
    since: since === '' ? null : await readSince(ctx, since),
  }
}

function readAddress(text: string): string {
  const read = parseMailbox(text)
  if ('rule' in read) throw shapeError([{ ...read, path: 'to', rule: `address.${read.rule}` }])
  return read.key
}

/** No clock decides: the moment is that of an answer, or where a mail stands in the list. */
async function readSince(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  since: string,
): Promise<CapturedMoment> {
  const moment = isId(since)
    ? await momentOfMail(db, workspaceId, since)
    : readAnswerCursor(workspaceId, since)
  if (moment === null) throw shapeError([{ path: 'since', rule: 'captured_since' }])
  return moment
}

async function momentOfMail(
  db: CallContext['db'],
  workspaceId: number,
  id: string,
): Promise<CapturedMoment | null> {
  const from = await capturedPosition(db, workspaceId, id)
  return from && { from, known: [] }
}

/** Whether the list searches, so that it reads every mail by itself. */
export const isSearch = ({ to, search }: CapturedFilter): boolean =>
  to !== null || search.to.length > 0 || !isAny(search)

/** Whether rows that the statement found may still not match. */
export const needsSubject = ({ search }: CapturedFilter): boolean =>
  search.subject.length + search.words.length > 0

/** A campaign's subject is known only with its reader's values. */
export function hasSubject(row: CapturedMailRow, { search }: CapturedFilter): boolean {
  const subject = subjectOf(row).toLowerCase()
  const text = `${row.recipient} ${row.fromName ?? ''} ${row.fromAddress} ${subject}`.toLowerCase()
  return (
    search.subject.every((part) => subject.includes(part)) &&
    search.words.every((part) => text.includes(part))
  )
}
