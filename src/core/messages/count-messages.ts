/**
 * GET /message-totals: how many messages a filter finds, and how many of them have each status, at
 * one moment. The newest up to a bound are counted.
 */
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { messageStatuses } from '../../contract/workspace/messages.ts'
import type { Database } from '../../database/client/database.ts'
import { statusesOfCampaignMails, statusesOfMessages } from '../../db/messages/message-statuses.ts'
import { countAtOneMoment } from '../audience/segments/in-turn.ts'
import { lineById } from './line-by-id.ts'
import { readSearch, searchLog, type LinePosition } from './search-log.ts'
import type { Verb } from '../verb.ts'

type Counts = ReadonlyMap<string, number>

export const countMessages: Verb<'countMessages'> = async (ctx, { query }) => {
  const { workspaceId } = ctx
  const search = readSearch(workspaceId, query)
  const byId = await lineById(ctx, query)
  if (byId !== undefined) return { body: totals(new Map(byId.map(({ status }) => [status, 1]))) }
  const request = { search, status: null, before: null, limit: countedEntriesMax }
  return countAtOneMoment(ctx, async (tx) => {
    const { lines, isWhole } = await searchLog({ db: tx, workspaceId }, request)
    return { body: totals(await statusesOf(tx, workspaceId, lines), !isWhole) }
  })
}

async function statusesOf(
  tx: Database,
  workspaceId: number,
  lines: LinePosition[],
): Promise<Counts> {
  const singles = lines.flatMap(({ id, subscriberId }) => (subscriberId === null ? [id] : []))
  const mails = lines.flatMap(({ id: campaignId, subscriberId }) =>
    subscriberId === null ? [] : [{ campaignId, subscriberId }],
  )
  const rows = [
    ...(singles.length === 0 ? [] : await statusesOfMessages(tx, workspaceId, singles)),
    ...(mails.length === 0 ? [] : await statusesOfCampaignMails(tx, workspaceId, mails)),
  ]
  const counts = new Map<string, number>()
  for (const { status, count } of rows) counts.set(status, (counts.get(status) ?? 0) + count)
  return counts
}

/** `more`: those that were counted are the newest of more. */
function totals(counts: Counts, more = false) {
  const say = (count: number) => ({ ...boundedCount({ count }), more })
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const statuses = Object.fromEntries(
    messageStatuses.map((status) => [status, say(counts.get(status) ?? 0)]),
  ) as Record<(typeof messageStatuses)[number], ReturnType<typeof say>>
  return { object: 'message_totals' as const, all: say(all), statuses }
}
