/**
 * GET /captured: the workspace's captured mails, newest first. A program filters them, and may wait
 * until one matches. The operator's page lists those of all workspaces.
 */
import { capturedCounts } from '../../db/captured/captured-entries.ts'
import type { CapturedPosition } from '../../db/captured/captured-moment.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { workspacePage } from '../../db/workspaces/workspaces.ts'
import type { CallContext, Service } from '../context.ts'
import { ofWorkspace } from '../databases.ts'
import { askedCapturedPage, writeAnswerCursor } from './captured-cursor.ts'
import { isSearch, readCapturedFilter } from './captured-filter.ts'
import {
  findCapturedPage,
  matchingOf,
  type FoundPage,
  type PageRequest,
} from './find-captured-page.ts'
import { refuseUnlessCapturing } from './refuse-unless-capturing.ts'
import type { Verb } from '../verb.ts'

export const listCapturedMails: Verb<'listCapturedMails'> = async (ctx, { query }) => {
  const { workspaceId } = ctx
  refuseUnlessCapturing(ctx)
  const filter = await readCapturedFilter(ctx, query)
  const page = askedCapturedPage(workspaceId, query)
  const isFolded = query.fold === 'campaigns' && filter.campaign === null && !isSearch(filter)
  const request = { filter, page, isFolded }
  const result = await findCapturedPage(ctx, request)
  const { wait: seconds = 0 } = query
  // Behind a page's cursor are older mails, and none of those is still to come.
  const waited =
    result.data.length === 0 && seconds > 0 && page.before === null
      ? await waitFor(ctx, { ...request, seconds, from: result.moment.from })
      : null
  const { moment, ...list } = waited ?? result
  const answer = { ...list, cursor: writeAnswerCursor(workspaceId, moment) }
  if (ctx.user === null && !ctx.operator) return { body: answer }
  return { body: { ...answer, ...(await stateOf(ctx, page.before === null)) } }
}

/** Each query reads what was captured since shortly before the first one. */
const waitFor = (
  ctx: CallContext,
  { seconds, from, ...request }: PageRequest & { seconds: number; from: CapturedPosition },
): Promise<FoundPage | null> =>
  ctx.captureWaits.until({
    workspaceId: ctx.workspaceId,
    keyId: ctx.apiKey.id,
    seconds,
    left: ctx.left?.(),
    async query() {
      // By now, its database may be another one, and it may have a provider.
      const { db } = await ofWorkspace<Service>(ctx, ctx.workspaceId)
      refuseUnlessCapturing(ctx)
      const filter = { ...request.filter, lateFrom: from.at }
      const reader = { ...ctx, db }
      const { matching } = await matchingOf(reader, { ...request, filter })
      return matching.length > 0 ? findCapturedPage(reader, request) : null
    },
  })

const workspacesMax = 200

/** What the pages show beside the list. */
async function stateOf(ctx: CallContext, isFirst: boolean) {
  const { db, workspaceId, operator, providers } = ctx
  const isOperator = operator !== undefined
  const workspaces = isOperator
    ? (await workspacePage(db, { after: 0, max: workspacesMax })).map(({ id, slug }) => ({
        id,
        slug,
      }))
    : []
  const shown = workspaceId === 0 ? workspaces[0]?.id : workspaceId
  return {
    captures: (workspaceId === 0 ? providers.deployment : providers.of(workspaceId)).captures,
    counts:
      isFirst && workspaceId !== 0 ? await capturedCounts(db, { workspaceId, isOperator }) : null,
    sender: shown === undefined ? null : await exampleSender(ctx, shown),
    operator: operator
      ? { workspaces: workspaces.map(({ slug }) => slug), by_token: operator.byToken }
      : null,
  }
}

async function exampleSender(ctx: CallContext, workspaceId: number): Promise<string | null> {
  const { db } = await ofWorkspace<Service>(ctx, workspaceId)
  return (await sendersOf(db, workspaceId))[0]?.email ?? null
}
