/**
 * GET /requests: the calls with the workspace's keys, newest first, by outcome, code, operation,
 * key, request, message, campaign and time.
 */
import { operationIds, operations, type InputOf } from '../../contract/operations.ts'
import type { RequestEntry } from '../../contract/workspace/requests.ts'
import {
  endOfExamined,
  requestPage,
  type RequestFilter,
  type RequestRow,
} from '../../db/workspaces/request-log.ts'
import { timeOfId } from '../../ground/ids.ts'
import { askedPage, goingOnAt, pageOf, readAfter } from '../input/cursor.ts'
import { readIdPeriod } from '../input/read-id-period.ts'
import { rfc3339 } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'

/** Calls that one page examines, where not all of them match. */
const scannedRowsMax = 5_000

/** Throws `validation_error`. */
export const listRequests: Verb<'listRequests'> = async (ctx, { query }) => {
  const filter = readRequestFilter(query)
  const { from, to } = readIdPeriod(query)
  const requests = askedPage(query, [ctx.workspaceId, 'requests', filter, from, to])
  const last = requests.before?.id ?? readAfter(query.after) ?? to
  const before = last < to ? last : to
  const isFiltered = Object.values(filter).some((value) => value !== null)
  const range = {
    before,
    from,
    max: requests.max,
    scannedMax: isFiltered ? scannedRowsMax : requests.max,
  }
  const rows = await requestPage(ctx.db, ctx.workspaceId, filter, range)
  const page = pageOf(rows, { ...requests, position: placeOf, show })
  if (!isFiltered || filter.messageId !== null || rows.length === requests.max)
    return { body: page }
  const end = await endOfExamined(ctx.db, ctx.workspaceId, filter, range)
  return { body: end === null ? page : goingOnAt(page, placeOf({ id: end }), requests.binding) }
}

export function readRequestFilter(
  query: Omit<InputOf<'listRequests'>['query'], 'after'>,
): RequestFilter {
  return {
    id: query.id ?? null,
    keyId: query.key ?? null,
    operation: query.operation ?? null,
    outcome: query.status ?? null,
    code: query.code ?? null,
    requestId: query.request_id ?? null,
    messageId: query.message ?? null,
    campaignId: query.campaign ?? null,
    q: readText(query.q),
  }
}

function readText(q: string | undefined): RequestFilter['q'] {
  const text = q?.trim().toLowerCase() ?? ''
  if (text === '') return null
  const ofAddress = operationIds.filter((id) => operations[id].path.toLowerCase().includes(text))
  return { text, operations: ofAddress }
}

const placeOf = ({ id }: { id: string }) => ({ at: rfc3339(timeOfId(id)), id })

const show = ({ keyId, keyName, durationUs, ...row }: RequestRow): RequestEntry => ({
  object: 'request',
  id: row.id,
  at: rfc3339(timeOfId(row.id)),
  operation: row.operation,
  mcp: row.mcp,
  status: row.status,
  code: row.code,
  duration_ms: Math.round(durationUs / 100) / 10,
  request_id: row.requestId,
  address: row.address,
  key: { id: keyId, name: keyName ?? '' },
  message_ids: row.messageIds,
  campaign_id: row.campaignId,
  calls: row.calls,
})
