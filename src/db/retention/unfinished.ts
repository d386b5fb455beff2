/**
 * Which rows stay although they are older than the limit: the age of a message counts from when it
 * was finished, and that of a campaign from when it was over.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { IdRange, Staying } from '../../database/partitions/expire-partition.ts'
import type { PartitionedTable } from '../../database/schema/partitioned-tables.ts'
import type { RowKeys } from '../../database/partitions/partitions.ts'

/**
 * A condition on the rows `t` of a table, for statements that `plain` makes. Null if no row stays.
 */
export function staysIf({ keeps, key }: PartitionedTable, before: Date): string | null {
  const limit = before.toISOString()
  if (keeps === undefined) return null
  switch (keeps) {
    case 'unfinished messages':
      return `exists (select from recipient r
        where r.workspace_id = t.workspace_id and r.message_id = t.${key}
        and (r.state <> 'settled' or coalesce(r.settled_at, r.sent_at) >= '${limit}'))`
    case 'unfinished campaigns':
      return `exists (select from campaign c where c.workspace_id = t.workspace_id and c.id = t.${key}
        and (c.completed_at is null or c.completed_at >= '${limit}'))`
  }
}

/** With rows of more messages, a partition stays as it is. */
const stayingMax = 200_000

/** What stays in an expired partition. */
export const unfinished: Staying = {
  async find(db, { keeps }, { stopping, ...range }) {
    if (keeps === 'unfinished messages')
      return unfinishedMessages(db, range, { max: stayingMax, stopping })
    return keeps === 'unfinished campaigns'
      ? unfinishedCampaigns(db, range)
      : { workspaceIds: [], ids: [] }
  },
  // An old draft may be sent, or an old campaign again: its recipients come to this partition. A
  // message is finished for ever.
  findAgain: async (tx, { keeps }, range) =>
    keeps === 'unfinished campaigns' ? unfinishedCampaigns(tx, range) : null,
}

/** Recipients that one statement reads. */
const pageSize = 20_000

/**
 * The messages of a time that are not finished, or were finished since `before`: page by page,
 * without a lock. None joins them later, since a finished message stays so. Null means more than
 * `max`, or stopped.
 */
async function unfinishedMessages(
  db: Database,
  range: IdRange,
  { max, stopping }: { max: number; stopping?: AbortSignal | undefined },
): Promise<RowKeys | null> {
  const keys: RowKeys = { workspaceIds: [], ids: [] }
  for (const workspaceId of await workspacesWithRecipients(db)) {
    for (let after: string | null = range.from; after !== null;) {
      if (stopping?.aborted) return null
      const page: MessagePage = await messagePage(db, workspaceId, { ...range, after })
      // A message that the former page ended in begins this one.
      const ids = page.ids.filter((id) => keys.ids.at(-1) !== id)
      keys.ids.push(...ids)
      keys.workspaceIds.push(...ids.map(() => workspaceId))
      if (keys.ids.length > max) return null
      after = page.last === after ? null : page.last
    }
  }
  return keys
}

/** One look-up in the index each. */
const workspacesWithRecipients = (db: Database): Promise<number[]> =>
  db.column<number>(sql`
    with recursive matching as (
      (select workspace_id from recipient order by workspace_id limit 1)
      union all
      select (select r.workspace_id
        from recipient r
        where r.workspace_id > f.workspace_id
        order by r.workspace_id
        limit 1)
      from matching f where f.workspace_id is not null
    )
    select workspace_id from matching where workspace_id is not null`)

interface MessagePage {
  ids: string[]
  /** Where the next page begins. Null if this was the last one. */
  last: string | null
}

const messagePage = (
  db: Database,
  workspaceId: number,
  { after, to, before }: IdRange & { after: string },
): Promise<MessagePage> =>
  db.onlyRow<MessagePage>(sql`
    with page as materialized (
      select message_id, state <> 'settled' or coalesce(settled_at, sent_at) >= ${before} as stays
      from recipient
      where workspace_id = ${workspaceId} and message_id >= ${after}::uuid and message_id < ${to}::uuid
      order by message_id limit ${pageSize}
    )
    select array(select distinct message_id from page where stays order by message_id) as ids,
      case
        when (select count(*) from page) = ${pageSize}
        then (select message_id from page order by message_id desc limit 1) end as last`)

/** The campaigns of a time that were sent and are not over, or have not been for long enough. */
async function unfinishedCampaigns(db: Database, { from, to, before }: IdRange): Promise<RowKeys> {
  const rows = await db.rows<{ workspaceId: number; id: string }>(sql`
    select distinct c.workspace_id, c.id
    from campaign_run p join campaign c on c.workspace_id = p.workspace_id and c.id = p.campaign_id
    where p.campaign_id >= ${from}::uuid and p.campaign_id < ${to}::uuid
      and (c.completed_at is null or c.completed_at >= ${before})
    order by 1, 2`)
  return { workspaceIds: rows.map(({ workspaceId }) => workspaceId), ids: rows.map(({ id }) => id) }
}
