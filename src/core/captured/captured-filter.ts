/** Reads which captured mails a call is about: those to an address, with a subject, and later ones. */
import { parseMailbox } from '../../ground/address.ts'
import {
  capturedPosition,
  type CapturedFilter,
  type CapturedMailRow,
} from '../../db/captured/captured-mails.ts'
import type { CapturedMoment } from '../../db/captured/captured-moment.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import { readAnswerCursor } from './captured-cursor.ts'

interface About {
  to?: string
  subject?: string
  since?: string
}

/** An empty subject and an empty `since` count as absent. Throws `validation_error`. */
export async function readCapturedFilter(
  ctx: Pick<CallContext, 'db' | 'workspaceId'>,
  { to, subject = '', since = '' }: About,
): Promise<CapturedFilter> {
  return {
    to: to === undefined ? null : readAddress(to),
    subject: subject.trim() === '' ? null : subject.trim().toLowerCase(),
    since: since === '' ? null : await readSince(ctx, since),
    lateFrom: null,
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

/** A campaign's subject is known only with its reader's values. */
export const hasSubject = (row: CapturedMailRow, { subject }: CapturedFilter): boolean =>
  subject === null || subjectOf(row).toLowerCase().includes(subject)
