/**
 * GET /captured: the workspace's captured mails, newest first. A program filters them, and may wait
 * until one matches.
 */
import { formatMailbox } from '../../ground/address.ts'
import type { CapturedEntry } from '../../contract/captured.ts'
import {
  capturedEntries,
  type CapturedFilter,
  type CapturedMailRow as Row,
} from '../../db/captured/captured-mails.ts'
import { capturedMoment, type CapturedPosition } from '../../db/captured/captured-moment.ts'
import type { Database } from '../../database/client/database.ts'
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import type { CallContext, Service } from '../context.ts'
import { ofWorkspace } from '../databases.ts'
import { pageOf } from '../input/cursor.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import {
  askedCapturedPage,
  writeAnswerCursor,
  writeNextCursor,
  type CapturedPage,
} from './captured-cursor.ts'
import { hasSubject, readCapturedFilter } from './captured-filter.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

export const listCapturedMails: Verb<'listCapturedMails'> = async (ctx, { query }) => {
  const { workspaceId, user } = ctx
  refuseUnlessCapturing(ctx)
  const filter = await readCapturedFilter(ctx, query)
  const page = askedCapturedPage(workspaceId, query)
  const result = await findPage(ctx, { filter, page })
  const { wait: seconds = 0 } = query
  // Behind a page's cursor are older mails, and none of those is still to come.
  const waited =
    result.data.length === 0 && seconds > 0 && page.before === null
      ? await waitFor(ctx, { filter, page, seconds, from: result.moment.from })
      : null
  const { moment, ...list } = waited ?? result
  const { captures } = ctx.providers.of(workspaceId)
  return {
    body: {
      ...list,
      cursor: writeAnswerCursor(workspaceId, moment),
      ...(user !== null && { captures }),
    },
  }
}

interface PageRequest {
  filter: CapturedFilter
  page: CapturedPage
}

type CapturedMails = Awaited<ReturnType<typeof findPage>>

/** Each query reads what was captured since shortly before the first one. */
const waitFor = (
  ctx: CallContext,
  { filter, page, seconds, from }: PageRequest & { seconds: number; from: CapturedPosition },
): Promise<CapturedMails | null> =>
  ctx.captureWaits.until({
    workspaceId: ctx.workspaceId,
    keyId: ctx.apiKey.id,
    seconds,
    left: ctx.left?.(),
    async query() {
      // By now, its database may be another one, and it may have a provider.
      const { workspaceId } = ctx
      const { db } = await ofWorkspace<Service>(ctx, workspaceId)
      refuseUnlessCapturing(ctx)
      const { matching } = await matchingOf(db, workspaceId, {
        filter: { ...filter, lateFrom: from.at },
        page,
      })
      return matching.length > 0 ? findPage({ db, workspaceId }, { filter, page }) : null
    },
  })

/** The page, and the moment of the first page: it was there then, and is not found by `since`. */
async function findPage(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  { filter, page }: PageRequest,
) {
  const { matching, unexamined, moment } = await db.transaction(async (tx) => {
    await readOneMoment(tx)
    return {
      ...(await matchingOf(tx, workspaceId, { filter, page })),
      moment: page.moment ?? (await capturedMoment(tx, workspaceId)),
    }
  })
  const { data, ...ends } = pageOf(matching, {
    ...page,
    position: positionOf,
    show: presentCaptured,
  })
  const last = ends.has_more ? matching[data.length - 1] : unexamined
  return {
    object: ends.object,
    data,
    has_more: Boolean(last),
    next_cursor: last
      ? writeNextCursor(workspaceId, { binding: page.binding, older: positionOf(last), moment })
      : '',
    moment,
  }
}

/** A filter by subject examines so many mails for a page; the next page goes on. */
const examinedMax = 500

/** `unexamined`: the mail before which others may match. */
async function matchingOf(
  db: Database,
  workspaceId: number,
  { filter, page }: PageRequest,
): Promise<{ matching: Row[]; unexamined: Row | undefined }> {
  const max = filter.subject === null ? page.max : examinedMax
  const rows = await capturedEntries(db, { workspaceId, max, before: page.before, filter })
  return {
    matching: rows.filter((row) => hasSubject(row, filter)),
    unexamined: rows.length === max ? rows.at(-1) : undefined,
  }
}

const positionOf = ({ at, id }: Row): CapturedPosition => ({ at, id })

export const presentCaptured = (row: Row): CapturedEntry => ({
  object: 'captured_mail',
  id: row.id,
  recipient: row.recipient,
  from: formatMailbox({ name: row.fromName, address: row.fromAddress }),
  subject: subjectOf(row),
  size: row.size,
  status: row.state === 'in_doubt' ? 'in_doubt' : row.status,
  captured_at: row.capturedAt.toISOString(),
  message: row.message,
})
