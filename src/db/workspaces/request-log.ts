/** The log of calls: written in groups behind the answers, read newest first. */
import type { RequestOutcome } from '../../contract/workspace/requests.ts'
import { idsStoredFrom } from '../retention/stored-since.ts'
import { part, rowList, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** A call with a key of the workspace, as the log stores it. */
export interface LoggedCall {
  /** A UUIDv7 of the time when the call came. */
  id: string
  keyId: string
  /** Null if no operation has the address, or a message of MCP that calls no tool. */
  operation: string | null
  mcp: boolean
  status: number
  code: string | null
  durationUs: number
  requestId: string
  address: string
  /** The messages that it made, in their order. */
  messageIds: readonly string[]
  campaignId: string | null
  /** How many calls the row stands for. */
  calls: number
}

/** A group that is written twice stands there once: the answer to the first try was lost. */
export async function insertRequests(
  db: Database,
  workspaceId: number,
  calls: readonly LoggedCall[],
): Promise<void> {
  const rows = calls.map(({ messageIds, ...call }) => ({
    ...call,
    messageId: messageIds[0] ?? null,
    manyIds: messageIds.length > 1 ? messageIds.join(',') : null,
  }))
  const list = rowList(rows, 'r', {
    uuid: ['id', 'keyId', 'messageId', 'campaignId'],
    text: ['operation', 'code', 'requestId', 'address', 'manyIds'],
    boolean: ['mcp'],
    smallint: ['status'],
    int: ['durationUs', 'calls'],
  })
  await db.count(sql`
    insert into request_log (workspace_id, id, key_id, operation, mcp, status, code, duration_us, request_id,
      address,
      message_id, message_ids, campaign_id, calls)
    select ${workspaceId}, id, key_id, operation, mcp, status, code, duration_us, request_id, address,
      message_id, string_to_array(many_ids, ',')::uuid[], campaign_id, calls
    from ${list}
    on conflict do nothing`)
}

export interface RequestFilter {
  /** Null, here and below: any. */
  id: string | null
  keyId: string | null
  operation: string | null
  outcome: RequestOutcome | null
  code: string | null
  requestId: string | null
  messageId: string | null
  campaignId: string | null
  /**
   * Part of the operation's or the key's name, or the whole `X-Request-Id`, in lower case; with the
   * operations whose address has it.
   */
  q: { text: string; operations: string[] } | null
}

export interface RequestRange {
  /** Only older ones. */
  before: string
  /** From this identifier on. */
  from: string
  /** Rows of an answer at most. */
  max: number
  /** Rows that are examined at most. */
  scannedMax: number
}

export interface RequestRow extends Omit<LoggedCall, 'messageIds'> {
  messageIds: string[]
  keyName: string | null
}

/** The newest of the range that pass the filter, among those that one page examines. */
export function requestPage(
  db: Database,
  workspaceId: number,
  filter: RequestFilter,
  range: RequestRange,
): Promise<RequestRow[]> {
  return db.rows<RequestRow>(sql`
    select r.id, r.key_id, k.name as key_name, r.operation, r.mcp, r.status, r.code, r.duration_us,
      r.request_id, r.address,
        coalesce(r.message_ids, array_remove(array[r.message_id], null)) as message_ids,
      r.campaign_id, r.calls
    from (
      select *
      from (${sourceOf(workspaceId, filter, range)}) l
      where ${passing(filter, range)}
      order by l.id desc limit ${range.max}
    ) r
    left join lateral (select name
      from api_key
      where workspace_id = ${workspaceId} and id = r.key_id
      limit 1) k
      on true
    order by r.id desc`)
}

/** How many of the newest calls of each outcome pass the filter, and how many were examined. */
export function countLoggedCalls(
  db: Database,
  workspaceId: number,
  { filter, range }: { filter: RequestFilter; range: Omit<RequestRange, 'max'> },
): Promise<{ outcome: RequestOutcome | 'all'; count: number; examined: number }[]> {
  const counted = (outcome: RequestOutcome | null): Fragment => {
    const ofOutcome = { ...filter, outcome }
    return part`
    select ${outcome ?? 'all'}::text as outcome,
      (count(*) filter (where ${passing(ofOutcome, range)}))::int as count, count(*)::int as examined
    from (${sourceOf(workspaceId, ofOutcome, range)}) l`
  }
  return db.rows(sql`
    select outcome, count, examined from (${counted(null)} union all ${counted('succeeded')}
      union all ${counted('refused')} union all ${counted('failed')}) of_outcome`)
}

/** The rows that one answer examines. */
const sourceOf = (
  workspaceId: number,
  filter: RequestFilter,
  range: Omit<RequestRange, 'max'>,
): Fragment =>
  filter.messageId === null
    ? examined(workspaceId, filter, range)
    : near(workspaceId, filter.messageId)

function passing(
  filter: RequestFilter,
  { before, from }: Pick<RequestRange, 'before' | 'from'>,
): Fragment {
  const { id, keyId, operation, outcome, code, requestId, messageId, campaignId, q } = filter
  return part`l.id < ${before} and l.id >= ${from}
        and (${id}::uuid is null or l.id = ${id}) and (${keyId}::uuid is null or l.key_id = ${keyId})
        and (${operation}::text is null or l.operation = ${operation})
        and (${outcome}::text is null
        or ${outcome} = case when l.status >= 500 then 'failed' when l.status >= 400 then 'refused'
        else 'succeeded' end)
        and (${code}::text is null or l.code = ${code})
        and (${requestId}::text is null or l.request_id = ${requestId})
        and (${messageId}::uuid is null or l.message_id = ${messageId}
        or ${messageId} = any(l.message_ids))
        and (${campaignId}::uuid is null or l.campaign_id = ${campaignId})
        ${q === null ? part`` : namesText(q)}`
}

function namesText({ text, operations }: NonNullable<RequestFilter['q']>): Fragment {
  return part`and (strpos(lower(l.operation), ${text}) > 0 or l.operation = any (${operations}::text[])
          or lower(l.request_id) = ${text} or l.key_id = any (array(
            select k.id from api_key k
            where k.workspace_id = l.workspace_id and strpos(lower(k.name), ${text}) > 0)))`
}

/** The last identifier that a page examined. Null means it examined the whole range. */
export function endOfExamined(
  db: Database,
  workspaceId: number,
  filter: RequestFilter,
  range: RequestRange,
): Promise<string | null> {
  return db.value<string>(sql`
    select id
    from (${examined(workspaceId, filter, range)}) l
    order by id desc offset ${range.scannedMax - 1}
    limit 1`)
}

const examined = (
  workspaceId: number,
  filter: RequestFilter,
  { before, from, scannedMax }: Omit<RequestRange, 'max'>,
): Fragment => part`
      select * from request_log
      where workspace_id = ${workspaceId} and id < ${before} and id >= ${from}
        and id >= ${idsStoredFrom(workspaceId, 'requests')}${byIndex(filter)}
      order by id desc limit ${scannedMax}`

/** The condition that leaves the fewest rows to examine, each with an index of its own. */
function byIndex({ id, keyId, requestId, campaignId, outcome, code }: RequestFilter): Fragment {
  if (id !== null) return part` and id = ${id}`
  if (requestId !== null) return part` and request_id = ${requestId}`
  if (campaignId !== null) return part` and campaign_id = ${campaignId}`
  if (keyId !== null) return part` and key_id = ${keyId}`
  if (code !== null) return part` and status >= 400 and code = ${code}`
  if (outcome === 'failed') return part` and status >= 500`
  return outcome === 'refused' ? part` and status >= 400` : part``
}

/**
 * The calls whose first message came last before this one, or made it. The messages of a call have
 * identifiers that follow each other, but for those that other processes made within the same
 * millisecond.
 */
const near = (workspaceId: number, messageId: string): Fragment => part`
      select *
      from request_log
      where workspace_id = ${workspaceId} and message_id <= ${messageId}
        and id >= ${idsStoredFrom(workspaceId, 'requests')}
      order by message_id desc limit ${nearMax}`

const nearMax = 200
